import { describe, expect, it } from "vitest";
import type { Schema } from "./schema.ts";
import { validateSchema } from "./validate.ts";

const properties: Record<string, Schema> = {
  i: { type: "integer" },
  num: { type: "number" },
  s: { type: "string", minLength: 2, maxLength: 4 },
  pat: { type: "string", pattern: "^a+$" },
  both: { type: "string", maxLength: 4, pattern: "^a+$" },
  b: { type: "boolean" },
  mult: { type: "integer", multipleOf: 3 },
  tenth: { type: "number", multipleOf: 0.1 },
  mn: { type: "integer", minimum: 2, maximum: 5 },
  mx: { type: "integer", minimum: 2, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
  arr: { type: "array", minItems: 2, maxItems: 3, items: { type: "string" } },
  uniq: { type: "array", uniqueItems: true, items: { type: "object" } },
  obj: { type: "object", minProperties: 2, maxProperties: 3, additionalProperties: { type: "integer" } },
  en: { type: "string", enum: ["a", "b"] },
  eni: { type: "integer", enum: [1, 2] },
  nul: { type: "string", nullable: true },
  nule: { type: "string", nullable: true, enum: ["a"] },
  any: { "x-kubernetes-preserve-unknown-fields": true },
  ios: { "x-kubernetes-int-or-string": true },
  emb: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  allof: { type: "integer", allOf: [{ minimum: 3 }, { maximum: 1 }] },
  anyof: { type: "integer", anyOf: [{ minimum: 3 }, { maximum: 1 }] },
  oneof: { type: "integer", oneOf: [{ minimum: 3 }, { minimum: 1 }] },
  not: { type: "integer", not: { minimum: 3 } },
  req: { type: "object", required: ["x", "y"], properties: { x: { type: "string" }, y: { type: "string" } } },
  time: { type: "string", format: "date-time" },
};
const schema: Schema = { type: "object", properties: { spec: { type: "object", properties } } };
const faults = (spec: unknown) => validateSchema({ spec }, schema).map(({ field, message }) => `${field}: ${message}`);

describe("a value that fits its schema has no faults", () => {
  it.each([
    { i: 1 },
    { i: 2n ** 62n },
    { num: 1 },
    { num: 1.5 },
    { s: "éé" },
    { s: "😀😀😀😀" },
    { pat: "aaa" },
    { tenth: 0.3 },
    { mn: 2 },
    { mx: 3 },
    { arr: ["a", "a"] },
    { uniq: [{ a: 1 }, { a: 2 }] },
    { obj: { a: 1, constructor: 2 } },
    { nul: null },
    { any: 5 },
    { any: null },
    { ios: 1 },
    { ios: "x" },
    { emb: { apiVersion: "v1", kind: "Pod" } },
    { oneof: 2 },
    { not: 1 },
    { unknown: 1 },
  ])("%o", (spec) => {
    expect(faults(spec)).toEqual([]);
  });
});

describe("faults are worded as kube-apiserver does", () => {
  it.each([
    [{ i: "x" }, ['spec.i: Invalid value: "string": spec.i in body must be of type integer: "string"']],
    [{ i: 1.5 }, ['spec.i: Invalid value: "number": spec.i in body must be of type integer: "number"']],
    [{ i: 1e30 }, ['spec.i: Invalid value: "number": spec.i in body must be of type integer: "number"']],
    [{ i: [] }, ['spec.i: Invalid value: "array": spec.i in body must be of type integer: "array"']],
    [{ b: "true" }, ['spec.b: Invalid value: "string": spec.b in body must be of type boolean: "string"']],
    [{ s: "a" }, ['spec.s: Invalid value: "a": spec.s in body should be at least 2 chars long']],
    [{ s: "aaaaa" }, ["spec.s: Too long: may not be more than 4 bytes"]],
    [{ both: "BBBBB" }, ["spec.both: Too long: may not be more than 4 bytes"]],
    [
      { obj: { a: "x" } },
      [
        "spec.obj: Invalid value: 1: spec.obj in body should have at least 2 properties",
        'spec.obj.a: Invalid value: "string": spec.obj.a in body must be of type integer: "string"',
      ],
    ],
    [{ pat: "b" }, ["spec.pat: Invalid value: \"b\": spec.pat in body should match '^a+$'"]],
    [{ mult: 4 }, ["spec.mult: Invalid value: 4: spec.mult in body should be a multiple of 3"]],
    [{ mn: 1 }, ["spec.mn: Invalid value: 1: spec.mn in body should be greater than or equal to 2"]],
    [{ mn: 6 }, ["spec.mn: Invalid value: 6: spec.mn in body should be less than or equal to 5"]],
    [{ mx: 2 }, ["spec.mx: Invalid value: 2: spec.mx in body should be greater than 2"]],
    [{ mx: 5 }, ["spec.mx: Invalid value: 5: spec.mx in body should be less than 5"]],
    [{ arr: ["a"] }, ["spec.arr: Invalid value: 1: spec.arr in body should have at least 2 items"]],
    [{ arr: ["a", "b", "c", "d"] }, ["spec.arr: Too many: 4: must have at most 3 items"]],
    [{ arr: ["a", null] }, ['spec.arr[1]: Invalid value: "null": spec.arr[1] in body must be of type string: "null"']],
    [
      { uniq: [{ a: 1 }, { a: 1 }] },
      [`spec.uniq: Invalid value: [{"a":1},{"a":1}]: spec.uniq in body shouldn't contain duplicates`],
    ],
    [{ obj: { a: 1 } }, ["spec.obj: Invalid value: 1: spec.obj in body should have at least 2 properties"]],
    [{ obj: { a: 1, b: 2, c: 3, d: 4 } }, ["spec.obj: Too many: 4: must have at most 3 items"]],
    [
      { obj: { a: "x", b: 1 } },
      ['spec.obj.a: Invalid value: "string": spec.obj.a in body must be of type integer: "string"'],
    ],
    [{ en: "c" }, ['spec.en: Unsupported value: "c": supported values: "a", "b"']],
    [{ eni: 3 }, ['spec.eni: Unsupported value: 3: supported values: "1", "2"']],
    [
      { en: 5 },
      [
        'spec.en: Invalid value: "integer": spec.en in body must be of type string: "integer"',
        'spec.en: Unsupported value: 5: supported values: "a", "b"',
      ],
    ],
    [{ nule: null }, ['spec.nule: Unsupported value: null: supported values: "a"']],
    [{ ios: 1.5 }, ['spec.ios: Invalid value: "number": spec.ios in body must be of type integer,string: "number"']],
    [{ emb: {} }, ["spec.emb.apiVersion: Required value", "spec.emb.kind: Required value"]],
    [
      { allof: 2 },
      [
        "spec.allof: Invalid value: 2: spec.allof in body should be greater than or equal to 3",
        "spec.allof: Invalid value: 2: spec.allof in body should be less than or equal to 1",
        '<nil>: Invalid value: "": "spec.allof" must validate all the schemas (allOf). None validated',
      ],
    ],
    [
      { anyof: 2 },
      [
        '<nil>: Invalid value: "": "spec.anyof" must validate at least one schema (anyOf)',
        "spec.anyof: Invalid value: 2: spec.anyof in body should be greater than or equal to 3",
      ],
    ],
    [
      { oneof: 5 },
      [
        '<nil>: Invalid value: "": "spec.oneof" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      { oneof: 0 },
      [
        '<nil>: Invalid value: "": "spec.oneof" must validate one and only one schema (oneOf). Found none valid',
        "spec.oneof: Invalid value: 0: spec.oneof in body should be greater than or equal to 3",
      ],
    ],
    [{ not: 5 }, ['<nil>: Invalid value: "": "spec.not" must not validate the schema (not)']],
    [
      { req: { x: 5 } },
      [
        "spec.req.y: Required value",
        'spec.req.x: Invalid value: "integer": spec.req.x in body must be of type string: "integer"',
      ],
    ],
    [{ time: "x" }, ['spec.time: Invalid value: "x": spec.time in body must be of type date-time: "x"']],
  ] as [Record<string, unknown>, string[]][])("%j", (spec, expected) => {
    expect(faults(spec)).toEqual(expected);
  });

  it("missing fields come first, then enums, lengths, types and bounds", () => {
    expect(
      validateSchema({ mn: 1, ios: true, s: "TOO LONG", en: "x", req: {} }, { type: "object", properties }).map(
        (e) => e.field,
      ),
    ).toEqual(["req.x", "req.y", "en", "s", "ios", "mn"]);
  });

  it("a value may have more faults than fit on the stack", () => {
    const arr = Array.from({ length: 200_000 }, () => 1);
    expect(faults({ arr })).toHaveLength(arr.length + 1);
  });

  it("a value nested too deeply throws", () => {
    const nest: Schema = { type: "object" };
    nest.additionalProperties = nest;
    let value: Record<string, unknown> = {};
    for (let i = 0; i < 100_000; i++) value = { a: value };
    expect(() => validateSchema(value, nest)).toThrow("exceeded max depth");
  });
});
