import fc from "fast-check";
import { expect, test } from "vitest";
import { beyondBounds } from "./json-bounds.ts";

const deep = "it nests deeper than 2 levels";
const many = "it has more than 4 values";

test.each<[string, string | undefined]>([
  ["", undefined],
  ["[[]]", undefined],
  ["[[[]]]", deep],
  ['{"a":{"b":{}}}', deep],
  ["[[],[]]", undefined],
  ["[[],[],[]]", many],
  ["[1,2,3,4]", undefined],
  ["[1,2,3,4,5]", many],
  ['["[[[,,,,,,","\\"[[[,,,,","\\\\"]', undefined],
  ['["\\\\",[[]]]', deep],
  // Not JSON.
  ["]]]]][[", undefined],
  ['"', undefined],
  ['"\\', undefined],
  ["[".repeat(1_000_000), deep],
  [",".repeat(1_000_000), many],
])("%.40s: %s", (text, why) => {
  expect(beyondBounds(text, { depth: 2, values: 4 })).toBe(why);
});

test("the depth of what JSON.stringify wrote is exact", () => {
  const depthOf = (value: unknown): number =>
    typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      const depth = depthOf(value);
      const text = JSON.stringify(value);
      expect(beyondBounds(text, { depth })).toBeUndefined();
      if (depth > 0) expect(beyondBounds(text, { depth: depth - 1 })).toBeDefined();
    }),
  );
});
