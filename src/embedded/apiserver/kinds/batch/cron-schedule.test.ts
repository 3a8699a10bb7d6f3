import { describe, expect, it } from "vitest";
import { scheduleFault } from "./cron-schedule.ts";

describe("a schedule", () => {
  it.each([
    "* * * * *",
    "*/5 1-5 1,15 jan-MAR mon",
    "5/10 , ? * 3-fri",
    "@hourly",
    "@every 1h30m",
    "CRON_TZ=UTC 0 0 1 1 0",
    "  0  0 31 12  6 ",
  ])("may be %j", (text) => {
    expect(scheduleFault(text)).toBeUndefined();
  });

  it.each([
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["", "expected exactly 5 fields, found 0: []"],
    ["@odd", "unrecognized descriptor: @odd"],
    ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["*/2/3 * * * *", "too many slashes: */2/3"],
    ["mon * * * *", 'failed to parse int from mon: strconv.Atoi: parsing "mon": invalid syntax'],
    ["*/-1 * * * *", "negative number (-1) not allowed: -1"],
    ["* * * __proto__ *", 'failed to parse int from __proto__: strconv.Atoi: parsing "__proto__": invalid syntax'],
  ])("is not %j: %s", (text, fault) => {
    expect(scheduleFault(text)).toBe(fault);
  });
});
