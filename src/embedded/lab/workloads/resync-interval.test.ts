import { expect, test } from "vitest";
import { VirtualClock } from "../../../cluster/runtime/testing/virtual-clock.ts";
import { SpacedLooks } from "./resync-interval.ts";

test("a look at many rests as long as they are many, each key for itself; a look at few does not", async () => {
  const clock = new VirtualClock();
  const looks = new SpacedLooks(clock, 0.25);
  looks.begin("many", 1000);
  looks.begin("few", 39);
  expect(["many", "few", "other"].map((key) => looks.restMs(key))).toEqual([250, 0, 0]);
  await clock.advance(200);
  expect(looks.restMs("many")).toBe(50);
  await clock.advance(50);
  expect(looks.restMs("many")).toBe(0);
  looks.begin("many", 1000);
  looks.forget("many");
  expect(looks.restMs("many")).toBe(0);
});
