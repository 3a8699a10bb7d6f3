import * as fc from "fast-check";
import { expect, test } from "vitest";
import { byteLength } from "./byte-length.ts";
import { jsonSize } from "./json-size.ts";

test.each<[unknown]>([
  [{}],
  [[]],
  [{ a: undefined, b: [undefined, null] }],
  [{ "é\n": ["\u2028", "😀", "\ud800", 'a"b\\c', "\u007f"] }],
  [{ a: 1.5, b: -0, c: true, d: { e: [1, [2, { f: "" }]] } }],
])("is that of the text: %j", (value) => {
  expect(jsonSize(value)).toBe(byteLength(JSON.stringify(value)));
});

test("is that of the text of any value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(jsonSize(value)).toBe(byteLength(JSON.stringify(value)));
    }),
  );
});
