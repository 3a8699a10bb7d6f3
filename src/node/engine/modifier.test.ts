import { expect, test } from "vitest";
import { unquoted, withModifier } from "./modifier.ts";

test.each([
  [">100", "65536", "65536"],
  [">100", "50", "100"],
  [">100", "100", "100"],
  ["<10", "60", "10"],
  ["<100", "60", "60"],
  [">99999999999999999999", "99999999999999999998", "99999999999999999999"],
  [">high", "60", ">high"],
  [">5", "low", ">5"],
  [">", "60", ">"],
  ["11", "60", "11"],
])("%j over an original %j is %j", (value, original, expected) => {
  expect(withModifier(value, original)).toBe(expected);
});

test.each([
  ['"a b"', "a b"],
  ['"a', '"a'],
  ['"', '"'],
  ['""', ""],
])("%j without its quotes is %j", (value, expected) => {
  expect(unquoted(value)).toBe(expected);
});
