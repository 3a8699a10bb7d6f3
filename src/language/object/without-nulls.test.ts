import { describe, expect, it } from "vitest";
import { withoutNulls } from "./without-nulls.ts";

describe("an object without nulls", () => {
  it("has no field that says nothing, and keeps the places of a list", () => {
    const given = { a: null, b: { c: null, d: 0 }, e: [null, { f: null }], g: undefined, h: "" };
    expect(withoutNulls(given)).toStrictEqual({ b: { d: 0 }, e: [null, {}], h: "" });
  });

  it("is a copy, with names that JavaScript has a use for", () => {
    const given = JSON.parse('{"__proto__":{"a":null,"b":1}}') as object;
    expect(JSON.stringify(withoutNulls(given))).toBe('{"__proto__":{"b":1}}');
    expect(JSON.stringify(given)).toContain("null");
  });

  it("is left as it is below the deepest level", () => {
    expect(withoutNulls({ a: { b: { c: null } } }, 1)).toEqual({ a: { b: { c: null } } });
    const bottomless = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as unknown;
    expect(() => withoutNulls(bottomless)).not.toThrow();
  });
});
