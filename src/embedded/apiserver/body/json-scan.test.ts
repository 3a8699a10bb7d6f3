import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maxDepth } from "../../../language/object/json-bounds.ts";
import { scanJson } from "./json-scan.ts";

const cases: [string, string[]][] = [
  ['{"a":1,"b":2}', []],
  ['{"a":1,"a":2}', ["a"]],
  ['{"data":{"a":"1","a":"2"}}', ["data.a"]],
  ['{"spec":{"items":[{"n":1},{"n":1,"n":2}]}}', ["spec.items[1].n"]],
  ['{"a":{"x":1},"b":{"x":1}}', []],
  ['{"a":"{\\"a\\":1,\\"a\\":2}"}', []],
  ['{"a":1,"\\u0061":2}', ["a"]],
  ['{"a":["x","x"]}', []],
  ['[[{"k":1,"k":2}]]', ["[0][0].k"]],
  ['{"__proto__":1,"__proto__":2}', ["__proto__"]],
  ['{"a\\"b":1,"c":{"d":[1,{"e":1}],"d":2}}', ["c.d"]],
  ['"text"', []],
];

describe("a scan of JSON", () => {
  it.each(cases)("finds the duplicate keys of %s", (text, duplicates) => {
    expect(scanJson(text)).toEqual({ type: "ok", duplicates, surrogates: false });
  });

  it("refuses too deep nesting", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    expect(scanJson(nested(maxDepth)).type).toBe("ok");
    expect(scanJson(nested(maxDepth + 1)).type).toBe("refused");
    expect(scanJson(nested(1_000_000)).type).toBe("refused");
  });

  it.each(["1e999", '{"a":-1E400}', `[1,${"9".repeat(400)}]`])(
    "refuses %s, which is no number a double holds",
    (text) => {
      expect(scanJson(text).type).toBe("refused");
    },
  );

  it.each(["1e99", '{"a":-0}', "[1.5e-999]", '{"1e999":"1e999"}', String(2 ** 63)])("takes %s as it is", (text) => {
    expect(scanJson(text).type).toBe("ok");
  });

  it.each([
    ['"\\ud800"', true],
    ['{"\\uDC00":1}', true],
    ['"\\ud83d\\ude00"', true],
    ['"\\u00e9 \\\\ud"', false],
  ])("sees in %s whether a string may hold half a pair: %s", (text, surrogates) => {
    expect(scanJson(text)).toMatchObject({ type: "ok", surrogates });
  });

  it("finds none in what JSON.stringify wrote", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        expect(scanJson(JSON.stringify(value))).toMatchObject({ type: "ok", duplicates: [] });
      }),
    );
  });
});
