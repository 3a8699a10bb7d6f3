import { describe, expect, it } from "vitest";
import { compileRules, validateRules } from "./validate-rules.ts";
import type { Schema, ValidationRule } from "./schema.ts";

const rules = (...list: ValidationRule[]) => ({ "x-kubernetes-validations": list });
const integer = (...list: ValidationRule[]): Schema => ({ type: "integer", ...rules(...list) });

function faults(schema: Schema, value: unknown, old?: unknown): string[] {
  const compiled = compileRules(schema);
  if (compiled.errors) throw new Error(compiled.errors.map(({ field, message }) => `${field}: ${message}`).join("\n"));
  return validateRules(compiled, value, old).map(({ reason, field, message }) => `${reason} ${field}: ${message}`);
}

const schema: Schema = {
  type: "object",
  properties: {
    a: integer({ rule: "self > 3" }),
    b: integer({ rule: "self > 3\n && self < 10", message: "line" }),
    c: integer({ rule: "self > 3", messageExpression: "self > 1 ? 'got some' : 'got ' + string(self)" }),
    d: integer(
      { rule: "self > 3", reason: "FieldValueForbidden", message: "no" },
      { rule: "self > 4", reason: "FieldValueRequired", message: "no2" },
      { rule: "self > 5", reason: "FieldValueDuplicate", message: "no3" },
    ),
    e: {
      type: "object",
      properties: {
        x: { type: "integer" },
        "y-z": { type: "integer" },
        m: { type: "object", additionalProperties: { type: "integer" } },
      },
      ...rules(
        { rule: "self.x > 3", fieldPath: ".x", message: "x small" },
        { rule: "self.x > 4", fieldPath: "['y-z']", message: "yz" },
        { rule: "self.x > 5", fieldPath: ".m['foo']", message: "m" },
      ),
    },
    f: { type: "object", properties: { x: { type: "integer" } }, ...rules({ rule: "self.x > 3" }) },
    g: { type: "array", items: integer({ rule: "1/self > 0" }) },
    h: { type: "object", additionalProperties: integer({ rule: "self > 3", message: "hm" }) },
    i: {
      type: "string",
      ...rules(
        { rule: "self.startsWith('a')", messageExpression: "''", message: "fallback" },
        { rule: "self.startsWith('a')", messageExpression: "' '" },
        { rule: "self.startsWith('a')", messageExpression: "'a\\nb'" },
      ),
    },
    o: integer({
      rule: "oldSelf.hasValue() ? self >= oldSelf.value() : self > 0",
      optionalOldSelf: true,
      message: "opt",
    }),
    p: integer({ rule: "self >= oldSelf", message: "grow" }),
    ml: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: {
        type: "object",
        required: ["k"],
        properties: { k: { type: "string" }, v: integer({ rule: "self >= oldSelf", message: "growitem" }) },
      },
    },
    emb: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
      ...rules({ rule: "self.metadata.name != 'x' && self.kind == 'Y'" }),
    },
    ios: { "x-kubernetes-int-or-string": true, ...rules({ rule: "self > 5" }) },
    l: { type: "array", items: { type: "integer" }, ...rules({ rule: "self[3] > 1", message: " msg " }) },
  },
};

describe("a failed rule is reported as kube-apiserver does", () => {
  it.each([
    [{ a: 1 }, ["FieldValueInvalid a: Invalid value: 1: failed rule: self > 3"]],
    [{ b: 1 }, ["FieldValueInvalid b: Invalid value: 1: line"]],
    [{ c: 1 }, ["FieldValueInvalid c: Invalid value: 1: got 1"]],
    [
      { d: 1 },
      [
        "FieldValueForbidden d: Forbidden: no",
        "FieldValueRequired d: Required value: no2",
        "FieldValueDuplicate d: Duplicate value: 1",
      ],
    ],
    [
      { e: { x: 1 } },
      [
        "FieldValueInvalid e.x: Invalid value: x small",
        "FieldValueInvalid e.y-z: Invalid value: yz",
        "FieldValueInvalid e.m[foo]: Invalid value: m",
      ],
    ],
    [{ f: {} }, ['FieldValueInvalid f: Invalid value: "object": no such key: x evaluating rule: self.x > 3']],
    [{ f: { x: 1 } }, ["FieldValueInvalid f: Invalid value: failed rule: self.x > 3"]],
    [{ f: { x: 4 } }, []],
    [{ g: [0] }, ['FieldValueInvalid g[0]: Invalid value: "integer": division by zero evaluating rule: 1/self > 0']],
    [
      { h: { foo: 1, "b.c": 2 } },
      ["FieldValueInvalid h[foo]: Invalid value: 1: hm", "FieldValueInvalid h[b.c]: Invalid value: 2: hm"],
    ],
    [
      { i: "z" },
      [
        'FieldValueInvalid i: Invalid value: "z": fallback',
        "FieldValueInvalid i: Invalid value: \"z\": failed rule: self.startsWith('a')",
        "FieldValueInvalid i: Invalid value: \"z\": failed rule: self.startsWith('a')",
      ],
    ],
    [{ o: 0 }, ["FieldValueInvalid o: Invalid value: 0: opt"]],
    [{ p: 1 }, []],
    [{ p: null }, []],
    [
      { emb: { apiVersion: "v1", kind: "Y" } },
      [
        "FieldValueInvalid emb: Invalid value: \"object\": no such key: metadata evaluating rule: self.metadata.name != 'x' && self.kind == 'Y'",
      ],
    ],
    [
      { ios: "x" },
      [
        "FieldValueInvalid ios: Invalid value: \"\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: self > 5",
      ],
    ],
    [{ ios: 6 }, []],
    [{ l: [1] }, ['FieldValueInvalid l: Invalid value: "array": index out of bounds: 3 evaluating rule: msg']],
  ])("%j", (value, expected) => {
    expect(faults(schema, value)).toEqual(expected);
  });

  it.each([
    [{ p: 4 }, { p: 5 }, ["FieldValueInvalid p: Invalid value: 4: grow"]],
    [{ p: 5 }, { p: 5 }, []],
    [{ p: 4 }, {}, []],
    [{ o: 4 }, { o: 5 }, ["FieldValueInvalid o: Invalid value: 4: opt"]],
    [
      {
        ml: [
          { k: "b", v: 1 },
          { k: "a", v: 2 },
        ],
      },
      { ml: [{ k: "a", v: 3 }] },
      ["FieldValueInvalid ml[1].v: Invalid value: 2: growitem"],
    ],
  ])("%j after %j", (value, old, expected) => {
    expect(faults(schema, value, old)).toEqual(expected);
  });
});

describe("an invalid rule is rejected when it is compiled", () => {
  const compileErrors = (rule: ValidationRule, extra: Schema = {}) => {
    const compiled = compileRules(
      { type: "object", properties: { x: { type: "integer" } }, ...extra, ...rules(rule) },
      "s",
    );
    return compiled.errors?.map(({ field, message }) => `${field}: ${message}`);
  };
  const at = "s.x-kubernetes-validations[0]";

  it("names the field that does not exist, and where", () => {
    expect(compileErrors({ rule: "self.nope > 1" })).toEqual([
      `${at}.rule: Invalid value: {"Rule":"self.nope \\u003e 1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field 'nope'\n | self.nope > 1\n | ....^`,
    ]);
  });

  it.each([
    [{ rule: "" }, "rule: Required value: rule is not specified"],
    [{ rule: "self.x" }, "cel expression must evaluate to a bool"],
    [{ rule: "self.x > 1", messageExpression: "self.x" }, "messageExpression must evaluate to a string"],
    [{ rule: "self.x > 1", messageExpression: "self.y" }, "messageExpression compilation failed: ERROR"],
    [{ rule: "self.x > 1", fieldPath: ".nope" }, 'fieldPath: Invalid value: ".nope": must be a valid path'],
    [{ rule: "self.x > 1", fieldPath: "x" }, 'fieldPath: Invalid value: "x": must be a valid path'],
    [
      { rule: "self.x > 1", reason: "Weird" },
      'reason: Unsupported value: "Weird": supported values: "FieldValueDuplicate"',
    ],
    [{ rule: "self.x \n> 1" }, "message: Required value: message must be specified if rule contains line breaks"],
    [{ rule: "self.x > 1", message: "a\nb" }, 'message: Invalid value: "a\\nb": must not contain line breaks'],
    [
      { rule: "self.x > 1", optionalOldSelf: true },
      "optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule",
    ],
  ])("%j", (rule, expected) => {
    expect(compileErrors(rule)).toEqual([expect.stringContaining(expected)]);
  });

  it("cannot compare items of a list that has no keys", () => {
    const compiled = compileRules(
      { type: "object", properties: { l: { type: "array", items: integer({ rule: "self == oldSelf" }) } } },
      "s",
    );
    expect(compiled.errors).toEqual([
      {
        reason: "FieldValueInvalid",
        field: "s.properties[l].items.x-kubernetes-validations[0].rule",
        message:
          'Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[l]',
      },
    ]);
  });
});

describe("a rule with excessive cost", () => {
  const list = { type: "array", items: { type: "integer" } } as const;

  it("stops, and reports that it exceeded its cost limit", () => {
    const cubed = { ...list, ...rules({ rule: "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))" }) };
    const [fault, ...more] = faults(
      cubed,
      Array.from({ length: 1000 }, () => 1),
    );
    expect(fault).toContain("actual cost limit exceeded");
    expect(more).toEqual([]);
  });

  it("cannot grow a list without limit", () => {
    const doubled = Array.from({ length: 40 }).reduce<string>((text) => `[${text}].map(x, x + x)[0]`, "self");
    expect(faults({ ...list, ...rules({ rule: `size(${doubled}) > 0` }) }, [1, 2, 3])[0]).toContain("cost limit");
  });

  it("is stopped by the total limit even if each run stays below its own", () => {
    const items = { ...list, ...rules({ rule: "self.all(a, self.all(b, a + b >= 0))" }) };
    const numbers = Array.from({ length: 400 }, () => 1);
    const many = (count: number) => Array.from({ length: count }, () => numbers);
    expect(faults({ type: "array", items }, many(2))).toEqual([]);
    const [fault, ...more] = faults({ type: "array", items }, many(200));
    expect(fault).toContain("running out of cost budget, no further validation rules will be run");
    expect(more).toEqual([]);
  });

  it("is stopped even if the other side of || is true", () => {
    const hidden = "self.all(a, self.all(b, self.all(c, a + b + c >= 0))) || true";
    expect(
      faults(
        { ...list, ...rules({ rule: hidden }) },
        Array.from({ length: 1000 }, () => 1),
      )[0],
    ).toContain("cost");
  });
});

describe("a value that an update leaves as it was", () => {
  const list: Schema = { type: "array", items: integer({ rule: "self > 3", message: "small" }) };
  const warningsOf = (value: object, old: object): { errors: number; warnings: string[] } => {
    const warnings: string[] = [];
    const compiled = compileRules({ type: "object", properties: { a: integer({ rule: "self > 3" }), list } });
    if (compiled.errors) throw new Error("does not compile");
    return { errors: validateRules(compiled, value, old, (warning) => warnings.push(warning)).length, warnings };
  };

  it("gives a warning where it breaks a rule, and an error once it is changed", () => {
    const warnings = ["a: Invalid value: 1: failed rule: self > 3"];
    expect(warningsOf({ a: 1 }, { a: 1 })).toEqual({ errors: 0, warnings });
    expect(warningsOf({ a: 2 }, { a: 1 })).toEqual({ errors: 1, warnings: [] });
  });

  it("gives no more warnings than a client can read", () => {
    const many = { list: Array.from({ length: 5000 }, () => 1) };
    const { errors, warnings } = warningsOf(many, many);
    expect([errors, warnings.length]).toEqual([0, 100]);
  });
});
