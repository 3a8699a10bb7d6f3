import { expect, it } from "vitest";
import { compilePattern, PatternError } from "./pattern.ts";

it("matches anywhere unless anchored, and is compiled once", () => {
  const pattern = compilePattern("[0-9]+");
  expect(pattern.test("a12b")).toBe(true);
  expect(pattern.find("a12b34")).toBe("12");
  expect(pattern.findAll("a12b34c5", 2)).toEqual(["12", "34"]);
  expect(pattern.find("x")).toBeUndefined();
  expect(compilePattern("[0-9]+")).toBe(pattern);
});

it.each(["(?=a)", "[", "\\1", "a{2000}"])("%s is rejected with Go's message", (source) => {
  expect(() => compilePattern(source)).toThrow(PatternError);
  expect(() => compilePattern(source)).toThrow("error parsing regexp: ");
});

it("a pattern with exponential time in JavaScript is fast", () => {
  expect(compilePattern("^(a+)+$").test(`${"a".repeat(5000)}b`)).toBe(false);
});

it("drops the oldest pattern when the cache is full", () => {
  const first = compilePattern("x0y");
  for (let i = 1; i <= 1000; i++) compilePattern(`x${i}y`);
  expect(compilePattern("x0y")).not.toBe(first);
});
