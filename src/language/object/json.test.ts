import { describe, expect, it } from "vitest";
import { equal } from "./json.ts";

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
