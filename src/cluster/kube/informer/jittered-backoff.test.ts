import { expect, test } from "vitest";
import { JitteredBackoff } from "./jittered-backoff.ts";

test("waits double up to the longest one", () => {
  const backoff = new JitteredBackoff({ baseMs: 100, maxMs: 1000, random: () => 1 });
  expect([1, 2, 3, 4, 5, 6].map(() => backoff.next())).toEqual([100, 200, 400, 800, 1000, 1000]);
});

test("the jitter is full: a wait may be zero", () => {
  const values = [0, 0.5];
  const backoff = new JitteredBackoff({ baseMs: 100, maxMs: 1000, random: () => values.shift() ?? 0 });
  expect([backoff.next(), backoff.next()]).toEqual([0, 100]);
});

test("starts over after a reset, however many failures there were", () => {
  const backoff = new JitteredBackoff({ baseMs: 100, maxMs: 1000, random: () => 1 });
  for (let i = 0; i < 5000; i++) expect(backoff.next()).toBeLessThanOrEqual(1000);
  backoff.reset();
  expect(backoff.next()).toBe(100);
});

test.each([
  [99, 200],
  [100, 100],
])("after a wait of up to 100 ms, and %i ms that went well, the next is up to %i ms", (heldMs, nextMs) => {
  const backoff = new JitteredBackoff({ baseMs: 100, maxMs: 1000, random: () => 1 });
  backoff.next();
  backoff.succeededFor(heldMs);
  expect(backoff.next()).toBe(nextMs);
});
