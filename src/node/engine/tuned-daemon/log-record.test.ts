import { expect, test } from "vitest";
import { LogReader, type LogRecord } from "./log-record.ts";

function records(text: string): LogRecord[] {
  const reader = new LogReader();
  return text.split("\n").flatMap((line) => reader.read(line) ?? []);
}

const at = "2026-11-15 06:16:37,940";

test("splits a line into level, logger and message", () => {
  expect(records(`${at} INFO     tuned.daemon.daemon: starting: tuning`)).toEqual([
    { level: "INFO", logger: "tuned.daemon.daemon", message: "starting: tuning", details: [] },
  ]);
});

test("keeps a traceback with the error it belongs to", () => {
  const [error, next, ...others] = records(
    [
      `${at} ERROR    tuned.units.manager: No module named 'x'`,
      "Traceback (most recent call last):",
      '  File "manager.py", line 88, in create',
      "ModuleNotFoundError: No module named 'x'",
      `${at} INFO     tuned.daemon.daemon: on`,
    ].join("\n"),
  );
  expect(error).toMatchObject({ level: "ERROR", message: "No module named 'x'" });
  expect(error?.details).toHaveLength(3);
  expect(next).toMatchObject({ message: "on" });
  expect(others).toEqual([]);
});

test("reports the death of a thread as an error, with the last line as its message", () => {
  const [, death] = records(
    [
      `${at} INFO     tuned.daemon.daemon: starting tuning`,
      "Exception in thread Thread-3 (_thread_code):",
      "Traceback (most recent call last):",
      '  File "manager.py", line 77, in create',
      "ValueError: invalid literal for int() with base 10: 'zz'",
    ].join("\n"),
  );
  expect(death).toMatchObject({
    level: "UNLOGGED",
    message: "ValueError: invalid literal for int() with base 10: 'zz'",
  });
});

test("reports output before the first record as an error", () => {
  expect(records("Superuser permissions are required to run the daemon.")).toMatchObject([{ level: "UNLOGGED" }]);
});

test("keeps a message of several lines together", () => {
  expect(records(`${at} INFO     tuned.x: a\nb\n\n${at} INFO     tuned.x: c`)).toMatchObject([
    { message: "a", details: ["b"] },
    { message: "c" },
  ]);
});

test("limits the size of a record (W-11)", () => {
  const [record] = records(`${at} ERROR    tuned.x: ${"a".repeat(10_000)}\n${"b\n".repeat(1000)}`);
  expect(record?.message.length).toBeLessThan(2100);
  expect(record?.details.length).toBe(50);
});
