import { describe, expect, it } from "vitest";
import { equal, omitUndefined, withoutNulls } from "./json.ts";

describe("equal", () => {
  it.each<[unknown, unknown, boolean]>([
    [{ a: undefined }, {}, true],
    [{}, { a: undefined }, true],
    [{ a: undefined }, { a: 1 }, false],
    [{ a: 1 }, { a: undefined }, false],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
    [[], {}, false],
    [{ toString: 1 }, {}, false],
    [null, {}, false],
  ])("of %j and %j is %j", (a, b, same) => {
    expect(equal(a, b)).toBe(same);
  });
});

it("omits keys whose value is undefined, and no others", () => {
  const object = omitUndefined({ a: undefined, b: null, c: 0, d: { e: undefined } });
  expect(Object.keys(object)).toEqual(["b", "c", "d"]);
  expect(object).toEqual({ b: null, c: 0, d: { e: undefined } });
});

describe("an object without nulls", () => {
  it("has no null fields, and keeps the nulls of lists", () => {
    const given = { a: null, b: { c: null, d: 0 }, e: [null, { f: null }], g: undefined, h: "" };
    expect(withoutNulls(given)).toStrictEqual({ b: { d: 0 }, e: [null, {}], h: "" });
  });

  it("is a copy, and keeps names such as __proto__", () => {
    const given = JSON.parse('{"__proto__":{"a":null,"b":1}}') as object;
    expect(JSON.stringify(withoutNulls(given))).toBe('{"__proto__":{"b":1}}');
    expect(JSON.stringify(given)).toContain("null");
  });

  it("is unchanged below the deepest level", () => {
    expect(withoutNulls({ a: { b: { c: null } } }, 1)).toEqual({ a: { b: { c: null } } });
    const bottomless = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`) as unknown;
    expect(() => withoutNulls(bottomless)).not.toThrow();
  });
});
