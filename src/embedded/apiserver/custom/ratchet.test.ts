import { describe, expect, it } from "vitest";
import { invalid, required, type FieldError } from "../../../language/schema/field-error.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { ratchet } from "./ratchet.ts";
import { objectValidation } from "./validate-object.ts";

const keyed: Schema = { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] };
const item: Schema = { type: "object", properties: { k: { type: "string" }, v: { type: "integer" } } };
const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        level: { type: "integer" },
        mode: { type: "string" },
        m: { type: "object", additionalProperties: { type: "string" } },
        still: { type: "array", items: item },
        items: { type: "array", items: item },
        keyed: { ...keyed, items: item },
      },
    },
  },
};
const old = {
  spec: {
    level: -1,
    mode: "x",
    m: { a: "b" },
    still: [{ v: 1 }],
    items: [{ v: 1 }, { v: 2 }],
    keyed: [
      { k: "a", v: 1 },
      { k: "b", v: 2 },
    ],
  },
};
const now = {
  spec: {
    ...old.spec,
    mode: "y",
    items: [{ v: 1 }, { v: 3 }],
    keyed: [
      { k: "b", v: 2 },
      { k: "a", v: 3 },
      { k: "c", v: 1 },
    ],
  },
};

it.each<[string, FieldError, boolean]>([
  ["an unchanged value", invalid("spec.level", -1, "too low"), false],
  ["a changed value", invalid("spec.mode", "y", "unknown"), true],
  ["a field that is missing from an item of an unchanged list", required("spec.still[0].name"), false],
  ["an unchanged item of a changed list without keys", invalid("spec.items[0].v", 1, "bad"), true],
  ["an unchanged item of a changed list with keys, at another position", invalid("spec.keyed[0].v", 2, "bad"), false],
  ["a changed item of a list with keys", invalid("spec.keyed[1].v", 3, "bad"), true],
  ["a new item of a list with keys", required("spec.keyed[2].name"), true],
  ["an unchanged entry of a map", invalid("spec.m[a]", "b", "bad"), false],
  ["a value that was not there before", invalid("spec.fresh", 1, "bad"), true],
  ["no field in particular", invalid("<nil>", null, "bad"), true],
])("a fault of %s counts: %#", (_, error, counts) => {
  expect(ratchet([error], now, old, schema)).toEqual(counts ? [error] : []);
});

describe("rules of a schema that got stricter", () => {
  const positive = { "x-kubernetes-validations": [{ rule: "self.v > 0", message: "must be positive" }] };
  const kept = { "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is immutable" }] };
  const strict: Schema = {
    type: "object",
    properties: {
      spec: {
        type: "object",
        "x-kubernetes-validations": [{ rule: "!has(self.mode) || self.mode != 'old'", message: "old mode" }],
        properties: {
          mode: { type: "string" },
          keyed: { ...keyed, items: { ...item, ...positive } },
          plain: { type: "array", items: { ...item, ...positive } },
          fixed: { type: "string", ...kept },
        },
      },
    },
  };
  const { update } = objectValidation(strict, undefined);
  const widget = (spec: object) => ({ apiVersion: "a/v1", kind: "W", metadata: { name: "w" }, spec }) as never;
  const faults = (before: object, after: object): string[] =>
    update(widget(after), widget(before)).map(({ field, message }) => `${field}: ${message}`);

  it("leave alone what an update does not change", () => {
    const bad = { mode: "old", keyed: [{ k: "a", v: -1 }], plain: [{ v: -1 }] };
    expect(faults(bad, bad)).toEqual([]);
    // Items are matched by their keys.
    expect(
      faults(
        { keyed: [{ k: "a", v: -1 }] },
        {
          keyed: [
            { k: "b", v: 1 },
            { k: "a", v: -1 },
          ],
        },
      ),
    ).toEqual([]);
    expect(faults({ plain: [{ v: -1 }], mode: "x" }, { plain: [{ v: -1 }], mode: "y" })).toEqual([]);
  });

  it("refuse what it changes, adds, or cannot match with what was there", () => {
    const negative = "Invalid value: must be positive";
    expect(faults({ keyed: [{ k: "a", v: -1 }] }, { keyed: [{ k: "a", v: -2 }] })).toEqual([
      `spec.keyed[0]: ${negative}`,
    ]);
    expect(faults({ plain: [{ v: -1 }] }, { plain: [{ v: -1 }, { v: 1 }] })).toEqual([`spec.plain[0]: ${negative}`]);
    expect(faults({ mode: "old" }, { mode: "old", fixed: "x" })).toEqual(["spec: Invalid value: old mode"]);
    expect(faults({ fixed: "a" }, { fixed: "b" })).toEqual(['spec.fixed: Invalid value: "b": is immutable']);
  });
});
