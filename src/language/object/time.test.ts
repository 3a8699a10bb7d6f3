import { describe, expect, it } from "vitest";
import { formatMicroTime, formatTime, humanDuration, isTime, parseTime } from "./time.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe("an age", () => {
  it.each([
    [-2 * second, "<invalid>"],
    [-1 * second, "0s"],
    [0, "0s"],
    [3.9 * second, "3s"],
    [119 * second, "119s"],
    [120 * second, "2m"],
    [130 * second, "2m10s"],
    [10 * minute, "10m"],
    [179 * minute, "179m"],
    [3 * hour, "3h"],
    [3 * hour + 5 * minute, "3h5m"],
    [8 * hour + 5 * minute, "8h"],
    [47 * hour, "47h"],
    [5 * day + 4 * hour, "5d4h"],
    [7 * day, "7d"],
    [8 * day + 4 * hour, "8d"],
    [729 * day, "729d"],
    [730 * day, "2y"],
    [800 * day, "2y70d"],
    [8 * 365 * day, "8y"],
  ])("of %d ms is printed as %s", (ms, expected) => {
    expect(humanDuration(ms)).toBe(expected);
  });
});

describe("a time", () => {
  it.each([
    ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"],
    ["2026-01-02T03:04:05.678901Z", "2026-01-02T03:04:05.678Z"],
    ["2026-01-02T03:04:05+01:30", "2026-01-02T01:34:05.000Z"],
    ["2026-01-02T03:04:05-01:00", "2026-01-02T04:04:05.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
  ])("%s is read", (text, expected) => {
    expect(new Date(parseTime(text)!).toISOString()).toBe(expected);
  });

  it.each([
    "",
    "2026-01-02",
    "2026-13-02T03:04:05Z",
    "2026-02-29T00:00:00Z",
    "2026-01-02T24:00:00Z",
    "2026-01-02T03:04:05",
  ])("%j is none", (text) => {
    expect(isTime(text)).toBe(false);
  });

  it("is written in seconds, or with six digits", () => {
    const ms = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
    expect(formatTime(ms)).toBe("2026-01-02T03:04:05Z");
    expect(formatMicroTime(ms)).toBe("2026-01-02T03:04:05.678000Z");
  });
});
