import { expect, test } from "vitest";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { ResyncInterval } from "./resync-interval.ts";

test("the interval of a key grows with its objects, and is none for a few", async () => {
  const clock = new VirtualClock();
  const interval = new ResyncInterval(clock, 0.25);
  interval.started("many", 1000);
  interval.started("few", 39);
  expect(["many", "few", "other"].map((key) => interval.waitMs(key))).toEqual([250, 0, 0]);
  await clock.advance(200);
  expect(interval.waitMs("many")).toBe(50);
  await clock.advance(50);
  expect(interval.waitMs("many")).toBe(0);
  interval.started("many", 1000);
  interval.forget("many");
  expect(interval.waitMs("many")).toBe(0);
});
