import { describe, expect, it } from "vitest";
import { formatTime } from "../../../../language/object/time.ts";
import { lastBetween, parseSchedule } from "./schedule.ts";

const at = (text: string): number => Date.parse(text);
const shown = (time: number | undefined): string | undefined => (time === undefined ? undefined : formatTime(time));

describe("the next time of a schedule", () => {
  it.each([
    ["* * * * *", undefined, "2026-01-01T00:00:30Z", "2026-01-01T00:01:00Z"],
    ["*/10 * * * *", undefined, "2026-01-01T00:10:00Z", "2026-01-01T00:20:00Z"],
    ["5,50 8-10/2 * * *", undefined, "2026-01-01T08:50:00Z", "2026-01-01T10:05:00Z"],
    ["0 0 31 * *", undefined, "2026-02-01T00:00:00Z", "2026-03-31T00:00:00Z"],
    ["0 9 * feb mon-fri", undefined, "2026-01-01T00:00:00Z", "2026-02-02T09:00:00Z"],
    // With both days given, one of them is enough.
    ["0 0 13 * 5", undefined, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"],
    ["@weekly", undefined, "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"],
    ["@every 90s", undefined, "2026-01-01T00:00:00Z", "2026-01-01T00:01:30Z"],
    ["0 0 29 2 *", undefined, "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"],
    ["0 0 30 2 *", undefined, "2026-01-01T00:00:00Z", undefined],
    ["0 3 * * *", "Asia/Kolkata", "2026-01-01T00:00:00Z", "2026-01-01T21:30:00Z"],
    ["TZ=America/New_York 0 12 * * *", undefined, "2026-01-01T00:00:00Z", "2026-01-01T17:00:00Z"],
    // On this day, clocks in Berlin go from 2 to 3: half past two does not exist.
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-30T00:30:00Z"],
  ])("%s in %s after %s is %s", (schedule, zone, after, next) => {
    expect(shown(parseSchedule(schedule, zone).next(at(after)))).toBe(next);
  });
});

it.each([
  ["*/5 * * * *", "2026-01-01T00:04:00Z", undefined],
  ["*/5 * * * *", "2026-01-01T00:17:00Z", "2026-01-01T00:15:00Z"],
  ["0 0 1 1 *", "2030-06-01T00:00:00Z", "2030-01-01T00:00:00Z"],
])("the last time of %s until %s is %s", (schedule, until, last) => {
  expect(shown(lastBetween(parseSchedule(schedule), at("2026-01-01T00:00:00Z"), at(until)))).toBe(last);
});
