import { expect, it } from "vitest";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { Sessions } from "./sessions.ts";

const minuteMs = 60_000;

it("takes a token once", () => {
  const sessions = new Sessions(new VirtualClock());
  const token = sessions.issue();
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
  const redeemed = sessions.redeem(token);
  expect(redeemed.type === "session" && sessions.has(redeemed.key)).toBe(true);
  expect(sessions.redeem(token)).toEqual({ type: "refused", reason: "used" });
  expect(sessions.redeem("x")).toEqual({ type: "refused", reason: "unknown" });
});

it("takes a token for ten minutes", async () => {
  const clock = new VirtualClock();
  const sessions = new Sessions(clock);
  const [early, late] = [sessions.issue(), sessions.issue()];
  await clock.advance(10 * minuteMs);
  expect(sessions.redeem(early).type).toBe("session");
  await clock.advance(1);
  expect(sessions.redeem(late)).toEqual({ type: "refused", reason: "expired" });
});

it("ends a session that is not used for half a day, and one that its user ends", async () => {
  const clock = new VirtualClock();
  const sessions = new Sessions(clock);
  const keyOf = (): string => (sessions.redeem(sessions.issue()) as { key: string }).key;
  const [used, unused, ended] = [keyOf(), keyOf(), keyOf()];
  sessions.end(ended);
  await clock.advance(11 * 60 * minuteMs);
  expect([sessions.has(used), sessions.has(ended)]).toEqual([true, false]);
  await clock.advance(2 * 60 * minuteMs);
  expect([sessions.has(used), sessions.has(unused)]).toEqual([true, false]);
});
