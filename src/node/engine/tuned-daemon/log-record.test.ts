import { expect, test } from "vitest";
import { LogReader, type LogRecord } from "./log-record.ts";

function records(text: string): LogRecord[] {
  const reader = new LogReader();
  return text.split("\n").flatMap((line) => reader.read(line) ?? []);
}

const at = "2026-11-15 06:16:37,940";

test("takes level, logger and message apart", () => {
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

test("takes the death of a thread for an error of its own, and its last line for what is wrong", () => {
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

test("takes words before any record for an error", () => {
  expect(records("Superuser permissions are required to run the daemon.")).toMatchObject([{ level: "UNLOGGED" }]);
});

test("goes on with a message that has several lines", () => {
  expect(records(`${at} INFO     tuned.x: a\nb\n\n${at} INFO     tuned.x: c`)).toMatchObject([
    { message: "a", details: ["b"] },
    { message: "c" },
  ]);
});

test("bounds what one record can hold", () => {
  const [record] = records(`${at} ERROR    tuned.x: ${"a".repeat(10_000)}\n${"b\n".repeat(1000)}`);
  expect(record?.message.length).toBeLessThan(2100);
  expect(record?.details.length).toBe(50);
});
