import { expect, test } from "vitest";
import { setKeys, unquote, isSameValue, normalValue } from "./value.ts";

test("a row of zeros before a letter is compared in no time", () => {
  expect(normalValue(`${"0".repeat(100_000)}x`)).toHaveLength(100_001);
  expect(isSameValue(`${"0,".repeat(50_000)}x`, "0")).toBe(false);
});

test.each<[string, string, boolean]>([
  ["00000000,0000ffff", "0000ffff", true],
  ["a|b", "c", false],
  ["none", "None", false],
  ["1", "01", true],
  ["4096 16384 16777216", "4096\t16384\t16777216", false],
])("%j and %j: %j", (expected, actual, same) => {
  expect(isSameValue(expected, actual)).toBe(same);
});

test.each([
  ['"a b"', "a b"],
  ['"a', '"a'],
  ['"', '"'],
  ['""', ""],
])("%j without its quotes is %j", (value, expected) => {
  expect(unquote(value)).toBe(expected);
});

test("a key is set where it is a whole word", () => {
  expect(setKeys("XKEY=1\nKEY = 2 # old\n", new Map([["KEY", "3"]]))).toBe('XKEY=1\nKEY ="3"\n');
});
