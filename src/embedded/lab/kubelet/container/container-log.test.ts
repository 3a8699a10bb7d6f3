import { expect, test } from "vitest";
import { VirtualClock } from "../../../../cluster/runtime/testing/virtual-clock.ts";
import { ContainerLog, LogBudget } from "./container-log.ts";

const texts = (log: ContainerLog): string[] => log.lines().map(({ text }) => text);

function logOf(budget = new LogBudget()): ContainerLog {
  return new ContainerLog(new VirtualClock(), budget);
}

test("a write has one or more lines, and long lines are split", () => {
  const log = logOf();
  log.write("one\ntwo");
  log.write("x".repeat(20_000));
  expect(texts(log).map(({ length }) => length)).toEqual([3, 3, 16_384, 3616]);
});

test("a log keeps its latest lines within its limit", () => {
  const budget = new LogBudget();
  const log = logOf(budget);
  for (let i = 0; i < 100_000; i++) log.write(`line ${i} ${"x".repeat(100)}`);
  expect(log.size).toBeLessThanOrEqual(256 * 1024);
  expect(budget.used).toBe(log.size);
  expect(texts(log).at(-1)).toMatch(/^line 99999 /);
  expect(texts(log)[0]).not.toMatch(/^line 0 /);
});

test("above the limit of all logs each keeps little, and discarded logs free the budget", () => {
  const budget = new LogBudget();
  const logs = Array.from({ length: 300 }, () => logOf(budget));
  for (const log of logs) for (let i = 0; i < 400; i++) log.write("x".repeat(1000));
  expect(budget.used).toBeLessThan(64 * 1024 * 1024 + 300 * 16 * 1024);
  for (const log of logs) log.discard();
  expect(budget.used).toBe(0);
});

test("a follower gets new lines, even when older ones were dropped meanwhile", () => {
  const log = logOf();
  log.write("before");
  let notified = 0;
  const stop = log.follow(() => notified++);
  const { seen } = log.after(log.written);
  log.write("a\nb");
  expect(notified).toBe(1);
  expect(log.after(seen).lines.map(({ text }) => text)).toEqual(["a", "b"]);
  for (let i = 0; i < 10_000; i++) log.write("x".repeat(100));
  expect(log.after(seen).lines.length).toBe(log.lines().length);
  stop();
  log.close();
  log.write("after the end");
  expect(texts(log)).not.toContain("after the end");
  expect(notified).toBe(10_001);
});
