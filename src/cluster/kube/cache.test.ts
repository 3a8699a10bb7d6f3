import { expect, test } from "vitest";
import { isOlder } from "./cache.ts";

test.each([
  ["1", "2", true],
  ["2", "1", false],
  ["5", "5", false],
  ["9", "10", true],
  ["90071992547409921", "90071992547409922", true],
  ["", "5", false],
  ["5", "", false],
  ["0", "5", false],
  ["abc", "abd", false],
])("%j is older than %j: %j", (a, b, expected) => {
  expect(isOlder(a, b)).toBe(expected);
});
