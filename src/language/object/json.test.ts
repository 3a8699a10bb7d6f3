import { describe, expect, it } from "vitest";
import { equal, omitUndefined } from "./json.ts";

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
