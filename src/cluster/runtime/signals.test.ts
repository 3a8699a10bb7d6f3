import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { stopOnSignals } from "./signals.ts";

class FakeProcess extends EventEmitter {
  exits: number[] = [];

  exit(code: number): void {
    this.exits.push(code);
  }
}

test.each([
  ["SIGTERM", "SIGTERM", 143],
  ["SIGTERM", "SIGINT", 130],
  ["SIGINT", "SIGINT", 130],
])("the first %s aborts, a further %s exits with %d", (first, second, code) => {
  const source = new FakeProcess();
  const { signal } = stopOnSignals(source);
  expect(signal.aborted).toBe(false);
  source.emit(first, first);
  expect(signal.reason).toEqual(new Error(`received ${first}`));
  expect(source.exits).toEqual([]);
  source.emit(second, second);
  expect(source.exits).toEqual([code]);
});

test("after dispose a signal ends the process by default", () => {
  const source = new FakeProcess();
  stopOnSignals(source).dispose();
  expect(source.eventNames()).toEqual([]);
});
