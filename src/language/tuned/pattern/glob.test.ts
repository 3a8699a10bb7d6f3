import { expect, test } from "vitest";
import { matchesDevices, matchesGlob } from "./glob.ts";

test.each<[string, string, boolean]>([
  ["*", "", true],
  ["sd?", "sda", true],
  ["sd?", "sd", false],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["[]]x", "]x", true],
  ["[!]]x", "]x", false],
  ["[a-", "[a-", true],
  ["a[-b]", "a-", true],
  ["a**b*c", "aXbYc", true],
  ["a.c", "abc", false],
  ["", "a", false],
  ["[01]", "1\n", false],
  ["[01]*", "1\n", true],
])("the pattern %j on %j: %j", (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected);
});

test("a pattern of stars takes no more than pattern times text", () => {
  expect(matchesGlob("*a".repeat(200), "a".repeat(20_000) + "b")).toBe(false);
});

test.each<[string, string, boolean]>([
  ["", "eth0", true],
  ["eth*,!eth1", "eth0", true],
  ["eth*,!eth1", "eth1", false],
  ["!eth1", "lo", true],
  ["eth0,\teth1", "eth1", true],
  ["!", "eth0", true],
])("devices=%j has %j: %j", (devices, device, expected) => {
  expect(matchesDevices(devices, device)).toBe(expected);
});
