import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asInteger, mayHoldLongInteger, readJson, writeJson } from "./exact-json.ts";
import type { Json } from "./json.ts";
import { writeYaml } from "./write-yaml.ts";
import { readYaml } from "./yaml.ts";

const largest = 2n ** 63n - 1n;

describe("exact JSON", () => {
  it.each<[string, unknown]>([
    ["9007199254740991", 9007199254740991],
    ["9007199254740992", 9007199254740992n],
    ["9007199254740993", 9007199254740993n],
    ["-9007199254740993", -9007199254740993n],
    [String(largest), largest],
    [String(-largest - 1n), -largest - 1n],
    [String(largest + 1n), 2 ** 63],
    ["9007199254740993.0", 9007199254740992],
    ["1e18", 1e18],
    ["0.12345678901234567890", 0.12345678901234568],
    ['"9007199254740993"', "9007199254740993"],
    ['[" 9007199254740993,",9007199254740993 , "\\\\" ]', [" 9007199254740993,", 9007199254740993n, "\\"]],
    [
      ' {"a\\"b" : {"__proto__":9007199254740993}, "c":[true,false,null,{},[],-1.5e-3]}',
      JSON.parse('{"a\\"b":{"__proto__":0},"c":[true,false,null,{},[],-0.0015]}', (key, value: unknown) =>
        key === "__proto__" ? 9007199254740993n : value,
      ),
    ],
    ['{"a":9007199254740993,"a":"last"}', { a: "last" }],
  ])("%s", (text, value) => {
    expect(readJson(text)).toEqual(value);
    expect(writeJson(readJson(writeJson(value)))).toBe(writeJson(value));
    expect(writeJson(readYaml(writeYaml(value as Json)))).toBe(writeJson(value));
  });

  it("reads and writes any value as JSON does, with any integers in it", () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: "small" },
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc
            .bigInt({ min: -largest - 1n, max: largest })
            .map((big) => (Number.isSafeInteger(Number(big)) ? Number(big) : big)),
          fc
            .double({ noNaN: true, noDefaultInfinity: true })
            .filter((double) => !Object.is(double, -0) && Math.abs(double) < 2 ** 53),
          fc.constantFrom(null, true, false),
        ),
        fc.array(tie("any"), { maxLength: 4 }),
        fc.dictionary(fc.string(), tie("any"), { maxKeys: 4, noNullPrototype: true }),
      ),
    })).any;
    fc.assert(
      fc.property(value, (json) => {
        expect(readJson(writeJson(json))).toEqual(json);
        expect(JSON.parse(writeJson(json))).toEqual(
          JSON.parse(JSON.stringify(json, (_, one: unknown) => (typeof one === "bigint" ? Number(one) : one))),
        );
        expect(readYaml(writeYaml(json))).toEqual(json);
      }),
      { numRuns: 300 },
    );
  });

  it("leaves out what JSON leaves out, beside an integer that is exact", () => {
    expect(writeJson({ a: undefined, b: [undefined, largest] })).toBe(`{"b":[null,${largest}]}`);
  });

  it("finds long integers wherever they begin, and takes the short way otherwise", () => {
    for (let i = 0; i < 40; i++) expect(mayHoldLongInteger(`[${" ".repeat(i)}1234567890123456]`)).toBe(true);
    for (const text of [
      "[123456789012345]",
      '["1234567890123456"]',
      "[0.1234567890123456]",
      '{"a":"2026-01-01T00:00:00Z"}',
    ])
      expect(mayHoldLongInteger(text)).toBe(false);
  });

  it.each<[unknown, unknown]>([
    [1, 1],
    [largest, largest],
    [2 ** 63, undefined],
    [1.5, undefined],
    ["1", undefined],
  ])("the integer in %s is %s", (value, integer) => {
    expect(asInteger(value)).toBe(integer);
  });
});

describe("exact YAML", () => {
  it.each<[string, unknown]>([
    ["a: 9007199254740993", 9007199254740993n],
    ["a: +9_007_199_254_740_993", 9007199254740993n],
    ["a: 0x20000000000001", 9007199254740993n],
    ["a: -0o400000000000000001", -9007199254740993n],
    ["a: 9223372036854775808", 2 ** 63],
    ["a: 12345", 12345],
  ])("%s", (text, a) => {
    expect(readYaml(text)).toEqual({ a });
  });
});
