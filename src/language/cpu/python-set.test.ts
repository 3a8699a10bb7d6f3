import { expect, test } from "vitest";
import { pythonDifference } from "./python-set.ts";

const range = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** What CPython 3.11 prints for `list(set(all) - set(removed))`. */
test.each<[string, number[], number[], number[]]>([
  ["two of many", range(0, 127), range(0, 127).filter((cpu) => cpu !== 3 && cpu !== 64), [64, 3]],
  ["four across a multiple of 8", range(0, 15), [...range(0, 5), ...range(10, 15)], [8, 9, 6, 7]],
  [
    "eight across a multiple of 32",
    range(0, 63),
    [...range(0, 27), ...range(36, 63)],
    [...range(32, 35), ...range(28, 31)],
  ],
  ["siblings", range(0, 127), [...range(4, 63), ...range(68, 127)], [...range(0, 3), ...range(64, 67)]],
  ["all but few: a copy of the set", range(0, 63), range(60, 63), range(0, 59)],
  ["few numbers far apart, none removed", [3, 8, 10, 11], [], [8, 11, 10, 3]],
  ["nothing", [], [1], []],
])("the order of Python's sets: %s", (_, all, removed, expected) => {
  expect(pythonDifference(all, removed)).toEqual(expected);
});

test("has every number once", () => {
  const all = range(0, 9999);
  const odd = all.filter((number) => number % 2 === 1);
  expect(pythonDifference(all, odd).toSorted((a, b) => a - b)).toEqual(all.filter((number) => number % 2 === 0));
});
