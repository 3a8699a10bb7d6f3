import { expect, it } from "vitest";
import { LeaderGate } from "../../cluster/runtime/leader/leader-gate.ts";
import { VirtualClock } from "../../cluster/runtime/testing/virtual-clock.ts";
import { leaseCheck } from "./lease-check.ts";

it("an operator is unready when it has not led for ten minutes, and ready again when it leads", async () => {
  const clock = new VirtualClock();
  const gate = new LeaderGate(clock);
  const check = leaseCheck({ gate, leader: "thief" }, clock);
  const lead = (): void => gate.extend(clock.monotonic() + 20_000, clock.monotonic() + 20_000);
  await clock.advance(600_000);
  check();
  await clock.advance(1000);
  expect(check).toThrow("lead: thief has held the Lease for 601 s");
  lead();
  check();
  await clock.advance(600_000);
  check();
  await clock.advance(1000);
  expect(check).toThrow("601 s");
  await clock.advance(1000);
  expect(leaseCheck({ gate, leader: undefined }, clock)).not.toThrow();
});

it("an operator that leads stays ready for as long as it does", async () => {
  const clock = new VirtualClock();
  const gate = new LeaderGate(clock);
  const check = leaseCheck({ gate, leader: "own" }, clock);
  for (let probe = 0; probe < 200; probe++) {
    gate.extend(clock.monotonic() + 20_000, clock.monotonic() + 20_000);
    await clock.advance(10_000);
    check();
  }
});
