import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpusOf, parseCpuList } from "./cpu-list.ts";
import { formatMask, mostCpus, parseMask } from "./cpu-mask.ts";
import { cpuSet, difference, formatRanges, formatUnpacked, intersection, isSubset, union } from "./cpu-set.ts";

describe("a list of CPUs", () => {
  test.each([
    ["0-3", "0,1,2,3"],
    ["'0-3'", "0,1,2,3"],
    ["1,1,0-2", "0,1,2"],
    ["1, 2 ,4 - 6", "1,2,4,5,6"],
    ["3-1", ""],
    ["1-3-9", "1,2,3"],
    ["1-3-x", "1,2,3"],
    ["+1,1_0", "1,10"],
    ["0-7,^3,!5-6", "0,1,2,4,7"],
    ["^3,0-4", "0,1,2,4"],
    ["0x1,00000001,,9", "0,9,32"],
    ["0x3,8-9", ""],
    ["0X3,,8-9", "0,1,8,9"],
    ["0xzz,,4", "4"],
    ["4-8,^6,0xf00,,!10-11", "4,5,7,8,9"],
    ["0-1\n", "0,1"],
    ["", ""],
    [",,", ""],
  ])("%j is %j", (text, expected) => {
    const list = parseCpuList(text);
    expect(list.type === "cpus" && formatUnpacked(list.cpus)).toBe(expected);
  });

  test.each(["abc", "3-x", "-1", "0-3, ^3", "1 2", " 0x3", "^", "1-", "0-2,^x"])("%j is malformed", (text) => {
    expect(parseCpuList(text).type).toBe("malformed");
    expect(cpusOf(text)).toEqual([]);
  });

  test.each(["999999999", "0-999999999999999999999", "^0-999999999", `0x1${"0".repeat(mostCpus)}`])(
    "%s is refused, not counted",
    (text) => {
      expect(parseCpuList(text).type).toBe("too-large");
    },
  );

  test("names the items that are no masks", () => {
    expect(parseCpuList("0xg,,1")).toEqual({ type: "cpus", cpus: [1], badMasks: ["0xg"] });
  });
});

const cpus = fc.array(fc.nat({ max: 300 })).map(cpuSet);

describe("a set of CPUs", () => {
  test.each([
    [[0, 1, 3, 4, 5, 6, 8, 9, 32], "0-1,3-6,8-9,32"],
    [[], ""],
    [[7], "7"],
  ])("%j is packed as %j", (set, expected) => {
    expect(formatRanges(set)).toBe(expected);
  });

  test.each([
    [[], "00000000"],
    [[0, 1, 2, 3], "0000000f"],
    [[31], "80000000"],
    [[1, 2, 3, 5, 32], "00000001,0000002e"],
    [[0, 32, 64], "00000001,00000001,00000001"],
  ])("%j is the mask %j", (set, expected) => {
    expect(formatMask(set)).toBe(expected);
  });

  test("is read back from ranges, list or mask", () => {
    fc.assert(
      fc.property(cpus, (set) => {
        expect(cpusOf(formatRanges(set))).toEqual(set);
        expect(cpusOf(formatUnpacked(set))).toEqual(set);
        expect(cpusOf(`0x${formatMask(set)}`)).toEqual(set);
      }),
    );
  });

  test("is the union of its intersection and difference with another", () => {
    fc.assert(
      fc.property(cpus, cpus, (a, b) => {
        expect(union(difference(a, b), intersection(a, b))).toEqual(a);
        expect(isSubset(intersection(a, b), b)).toBe(true);
        expect(isSubset(difference(a, b), b)).toBe(difference(a, b).length === 0);
      }),
    );
  });
});

test.each([
  ["0x1,0000,0001", [0, 32]],
  ["0000000f\n", [0, 1, 2, 3]],
  ["-f", []],
  ["1_0", [4]],
])("the mask %j is %j", (text, expected) => {
  expect(parseMask(text)).toEqual({ type: "cpus", cpus: expected });
});

test.each(["zz", "", "0x", "0x1-3", "1__0"])("%j is no mask", (text) => {
  expect(parseMask(text).type).toBe("malformed");
});
