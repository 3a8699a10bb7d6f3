import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseTime } from "./go-time.ts";

const rfc = '"2006-01-02T15:04:05Z07:00"';
const micro = '"2006-01-02T15:04:05.000000Z07:00"';

describe("parseTime", () => {
  it.each([
    ["2026-01-01T00:00:00Z", "seconds", "2026-01-01T00:00:00Z"],
    ["2026-01-01T00:00:00.5+01:00", "seconds", "2025-12-31T23:00:00Z"],
    ["2024-02-29T12:00:00-05:30", "seconds", "2024-02-29T17:30:00Z"],
    ["0001-01-01T00:00:00Z", "seconds", "0001-01-01T00:00:00Z"],
    ["2026-01-01T00:00:00.123456Z", "micro", "2026-01-01T00:00:00.123456Z"],
    ["2026-01-01T00:00:00.123456+02:00", "micro", "2025-12-31T22:00:00.123456Z"],
  ] as const)("reads %s in %s as %s", (text, layout, expected) => {
    expect(parseTime(text, layout)).toEqual({ type: "time", text: expected });
  });

  it.each([
    ["yesterday", "micro", `parsing time "yesterday" as ${micro}: cannot parse "yesterday" as "2006"`],
    ["", "seconds", `parsing time "" as ${rfc}: cannot parse "" as "2006"`],
    [
      "2026-1-01T00:00:00Z",
      "seconds",
      `parsing time "2026-1-01T00:00:00Z" as ${rfc}: cannot parse "1-01T00:00:00Z" as "01"`,
    ],
    [
      "2026-01-01 00:00:00Z",
      "seconds",
      `parsing time "2026-01-01 00:00:00Z" as ${rfc}: cannot parse " 00:00:00Z" as "T"`,
    ],
    ["2026-01-01T00:00:00Z", "micro", `parsing time "2026-01-01T00:00:00Z" as ${micro}: cannot parse "Z" as ".000000"`],
    ["2026-01-01T00:00:00", "seconds", `parsing time "2026-01-01T00:00:00" as ${rfc}: cannot parse "" as "Z07:00"`],
    ["2026-13-01T00:00:00Z", "seconds", 'parsing time "2026-13-01T00:00:00Z": month out of range'],
    ["2026-02-29T00:00:00Z", "seconds", 'parsing time "2026-02-29T00:00:00Z": day out of range'],
    ["2026-01-01T24:00:00Z", "seconds", 'parsing time "2026-01-01T24:00:00Z": hour out of range'],
    ["2026-01-01T00:00:00Zx", "seconds", 'parsing time "2026-01-01T00:00:00Zx": extra text: "x"'],
  ] as const)("refuses %j in %s", (text, layout, message) => {
    expect(parseTime(text, layout)).toEqual({ type: "bad", message });
  });

  it("agrees with Date on every moment of four-digit years", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0100-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }),
        (date) => {
          const text = date.toISOString();
          expect(parseTime(text, "seconds")).toEqual({ type: "time", text: `${text.slice(0, 19)}Z` });
        },
      ),
    );
  });
});
