import { expect, it } from "vitest";
import { validateListTypes } from "./list-type.ts";
import type { Schema } from "./schema.ts";

const schema: Schema = {
  type: "object",
  properties: {
    set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    map: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["p", "k"],
      items: { type: "object", properties: { inner: { type: "array", "x-kubernetes-list-type": "set", items: {} } } },
    },
    atomic: { type: "array", "x-kubernetes-list-type": "atomic", items: { type: "string" } },
  },
};

it.each([
  [{ set: ["a", "b"] }, []],
  [{ set: ["a", "a", "a", "b", "b"] }, ['set[1]: Duplicate value: "a"', 'set[4]: Duplicate value: "b"']],
  [
    {
      map: [
        { k: "a", p: 1 },
        { k: "a", p: 2 },
      ],
    },
    [],
  ],
  [
    {
      map: [
        { k: "a", p: 1, v: 1 },
        { k: "a", p: 1, v: 2 },
      ],
    },
    ['map[1]: Duplicate value: {"k":"a","p":1}'],
  ],
  [{ map: [{ k: "a" }, { k: "a" }] }, ['map[1]: Duplicate value: {"k":"a"}']],
  [{ map: [{ k: "a", inner: [1, 1] }] }, ["map[0].inner[1]: Duplicate value: 1"]],
  [{ atomic: ["a", "a"] }, []],
])("%j has duplicates %j", (value, expected) => {
  expect(validateListTypes(value, schema).map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
});
