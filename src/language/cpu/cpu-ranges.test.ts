import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { covers, cpuRanges } from "./cpu-ranges.ts";

describe("cpuRanges", () => {
  it.each([
    [undefined, []],
    ["\n", []],
    ["3\n", [[3, 3]]],
    [
      "0-3,8",
      [
        [0, 3],
        [8, 8],
      ],
    ],
    ["8,0-3,4-5,2-9", [[0, 9]]],
    ["0-4294967", [[0, 4294967]]],
    ["3-1", []],
    ["0-9999999999", []],
    ["0,,1", []],
    ["all", []],
    ["-1", []],
  ])("of %j are %j", (text, ranges) => {
    expect(cpuRanges(text)).toEqual(ranges);
  });

  it("cover what they list, and nothing else", () => {
    const range = fc.tuple(fc.nat(60), fc.nat(6)).map(([first, more]) => [first, first + more] as const);
    fc.assert(
      fc.property(fc.array(range, { maxLength: 8 }), (ranges) => {
        const read = cpuRanges(ranges.map(([first, last]) => `${first}-${last}`).join(","));
        for (let cpu = 0; cpu < 70; cpu++)
          expect(covers(read, cpu)).toBe(ranges.some(([first, last]) => first <= cpu && cpu <= last));
      }),
    );
  });
});
