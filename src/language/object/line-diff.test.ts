import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineDiff } from "./line-diff.ts";

const text = (value: unknown): string => JSON.stringify(value, undefined, 1);

describe("lineDiff", () => {
  it("shows three lines around each change, and joins changes that are close", () => {
    const before = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9, j: 10, k: 11, l: 12 };
    expect(lineDiff(text(before), text({ ...before, b: 0, c: 0, l: 0 }))).toBe(
      [
        "@@ -1,7 +1,7 @@",
        " {",
        '  "a": 1,',
        '- "b": 2,',
        '- "c": 3,',
        '+ "b": 0,',
        '+ "c": 0,',
        '  "d": 4,',
        '  "e": 5,',
        '  "f": 6,',
        "@@ -10,5 +10,5 @@",
        '  "i": 9,',
        '  "j": 10,',
        '  "k": 11,',
        '- "l": 12',
        '+ "l": 0',
        " }",
        "",
      ].join("\n"),
    );
  });

  it.each([
    ["what begins", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"],
    ["what ends", "a\n", "", "@@ -1,1 +0,0 @@\n-a\n"],
    ["a line end alone, which is no line", "a", "a\n", ""],
  ])("shows %s", (_, before, after, expected) => {
    expect(lineDiff(before, after)).toBe(expected);
  });

  it("is empty for equal texts, and otherwise counts the lines of both", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { maxLength: 40 }), fc.array(fc.nat(3), { maxLength: 40 }), (before, after) => {
        const diff = lineDiff(text(before), text(after)).split("\n");
        const grown =
          diff.filter((line) => line.startsWith("+")).length - diff.filter((line) => line.startsWith("-")).length;
        const count = (value: number[]) => text(value).split("\n").length;
        expect(grown).toBe(count(after) - count(before));
        expect(diff.join("") === "").toBe(JSON.stringify(before) === JSON.stringify(after));
      }),
    );
  });
});
