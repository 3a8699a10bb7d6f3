import { expect, test } from "vitest";
import { VirtualClock } from "../../runtime/testing/virtual-clock.ts";
import { Watchdog } from "./watchdog.ts";

function started(limitMs: number) {
  const clock = new VirtualClock();
  let barks = 0;
  const watchdog = new Watchdog(clock, limitMs, () => barks++);
  return { clock, watchdog, barks: () => barks };
}

test("silence is reported once", async () => {
  const { clock, barks } = started(100);
  await clock.advance(99);
  expect(barks()).toBe(0);
  await clock.advance(1000);
  expect(barks()).toBe(1);
});

test("a watchdog that is fed does not call, and sets one timer", async () => {
  const { clock, watchdog, barks } = started(100);
  for (let i = 0; i < 10; i++) {
    watchdog.feed();
    watchdog.feed();
    await clock.advance(60);
    expect(clock.pending).toBe(1);
  }
  expect(barks()).toBe(0);
  await clock.advance(40);
  expect(barks()).toBe(1);
});

test("a relaxed watchdog waits longer", async () => {
  const { clock, watchdog, barks } = started(100);
  watchdog.relax(500);
  await clock.advance(499);
  expect(barks()).toBe(0);
  await clock.advance(1);
  expect(barks()).toBe(1);
});

test("a stopped watchdog never calls and has no timer", async () => {
  const { clock, watchdog, barks } = started(100);
  watchdog.stop();
  watchdog.relax(10);
  expect(clock.pending).toBe(0);
  await clock.advance(1000);
  expect(barks()).toBe(0);
});
