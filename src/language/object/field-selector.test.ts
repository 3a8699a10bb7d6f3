import { describe, expect, it } from "vitest";
import { parseFieldSelector } from "./field-selector.ts";

describe("a field selector", () => {
  it.each([
    ["", []],
    ["metadata.name=a", [{ field: "metadata.name", op: "=", value: "a" }]],
    ["metadata.name==a,,", [{ field: "metadata.name", op: "=", value: "a" }]],
    [
      "b!=c,a=",
      [
        { field: "a", op: "=", value: "" },
        { field: "b", op: "!=", value: "c" },
      ],
    ],
    ["a=x\\,y\\=z\\\\", [{ field: "a", op: "=", value: "x,y=z\\" }]],
  ])("%j is read", (text, expected) => {
    expect(parseFieldSelector(text)).toEqual(expected);
  });

  it.each([
    ["a", "invalid selector: 'a'; can't understand 'a'"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
    ["a=b\\", "invalid field selector: invalid escape sequence: \\"],
    ["a=b\\c", "invalid field selector: invalid escape sequence: \\c"],
  ])("%j is refused", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });
});
