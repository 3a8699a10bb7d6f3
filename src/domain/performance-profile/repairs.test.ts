import { expect, it } from "vitest";
import { Repairs } from "./repairs.ts";

it("repairs an object five times at once, and then once a minute", () => {
  const repairs = new Repairs();
  const done: number[] = [];
  for (let now = 0; now <= 180_000; now += 1000) if (repairs.waitMs("a", now) === 0) done.push(now / 1000);
  expect(done).toEqual([0, 1, 2, 3, 4, 60, 120, 180]);
  expect(repairs.waitMs("b", 180_000)).toBe(0);
  expect(repairs.waitMs("a", 180_500)).toBe(59_500);
});
