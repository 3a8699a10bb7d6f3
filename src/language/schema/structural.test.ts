import { expect, it } from "vitest";
import type { Schema } from "./schema.ts";
import { checkStructural } from "./structural.ts";

const spec = (properties: Record<string, unknown>) =>
  ({ type: "object", properties: { spec: { type: "object", properties } } }) as Schema;
const at = "s.properties[spec].properties";

it.each([
  [
    "declares the type of every field",
    { type: "object", properties: { spec: { properties: {} } } },
    ["s.properties[spec].type: Required value: must not be empty for specified object fields"],
  ],
  [
    "declares the type of items",
    spec({ c: { type: "array", items: {} } }),
    [`${at}[c].items.type: Required value: must not be empty for specified array items`],
  ],
  ["says what a list holds", spec({ b: { type: "array" } }), [`${at}[b].items: Required value: must be specified`]],
  ["says the type of the root", { properties: {} }, ["s.type: Required value: must not be empty at the root"]],
  ["is of an object", { type: "string" }, ['s.type: Invalid value: "string": must be object at the root']],
  [
    "has properties or additionalProperties, not both",
    spec({ a: { type: "object", properties: { b: { type: "string" } }, additionalProperties: { type: "string" } } }),
    [`${at}[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
  ],
  [
    "only narrows in allOf",
    spec({ a: { type: "string", allOf: [{ type: "string", description: "x", nullable: true }] } }),
    [
      `${at}[a].allOf[0].description: Forbidden: must be empty to be structural`,
      `${at}[a].allOf[0].nullable: Forbidden: must be false to be structural`,
      `${at}[a].allOf[0].type: Forbidden: must be empty to be structural`,
    ],
  ],
  [
    "only narrows in not, however deep",
    spec({ b: { type: "string", oneOf: [{ not: { allOf: [{ type: "string" }] } }] } }),
    [`${at}[b].oneOf[0].not.allOf[0].type: Forbidden: must be empty to be structural`],
  ],
  [
    "may repeat the types of an int-or-string",
    spec({
      b: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
      c: {
        "x-kubernetes-int-or-string": true,
        allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "x" }],
      },
    }),
    [],
  ],
  [
    "but only in that order",
    spec({ c: { "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] } }),
    [
      `${at}[c].anyOf[0].type: Forbidden: must be empty to be structural`,
      `${at}[c].anyOf[1].type: Forbidden: must be empty to be structural`,
    ],
  ],
  [
    "does not preserve in an int-or-string",
    spec({ d: { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true } }),
    [
      `${at}[d].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true`,
    ],
  ],
  [
    "leaves metadata to the server",
    { type: "object", properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } },
    [
      "s.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
    ],
  ],
  [
    "may narrow names",
    {
      type: "object",
      properties: {
        metadata: { type: "object", properties: { name: { type: "string", maxLength: 3 } } },
        apiVersion: { type: "string" },
      },
    },
    [],
  ],
  [
    "declares kind and apiVersion as strings",
    { type: "object", properties: { kind: { type: "object" }, apiVersion: { type: "integer" } } },
    [
      's.properties[apiVersion].type: Invalid value: "integer": must be string',
      's.properties[kind].type: Invalid value: "object": must be string',
    ],
  ],
  [
    "has embedded resources only of type object",
    spec({ a: { type: "string", "x-kubernetes-embedded-resource": true } }),
    [
      `${at}[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
      `${at}[a].type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true`,
    ],
  ],
  [
    "declares the keys of a map list",
    spec({
      a: { type: "array", "x-kubernetes-list-type": "map", items: { type: "object" } },
      b: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object", properties: {} },
      },
      c: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object", properties: { k: { type: "string" } } },
      },
    }),
    [
      `${at}[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`,
      `${at}[b].x-kubernetes-list-map-keys: Invalid value: ["k"]: entries must all be names of item properties`,
      `${at}[c].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
  ],
  [
    "has known list types",
    spec({
      a: { type: "string", "x-kubernetes-list-type": "set" },
      b: { type: "array", "x-kubernetes-list-type": "weird", items: { type: "string" } },
      c: { type: "array", "x-kubernetes-list-type": "set", items: { type: "object" } },
      d: { type: "array", "x-kubernetes-list-map-keys": ["a"], items: { type: "object" } },
    }),
    [
      `${at}[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`,
      `${at}[b].x-kubernetes-list-type: Unsupported value: "weird": supported values: "atomic", "set", "map"`,
      `${at}[c].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
      `${at}[d].x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty`,
    ],
  ],
  [
    "has valid defaults",
    spec({
      a: { type: "string", default: 5 },
      b: { type: "integer", minimum: 5, default: 3 },
      c: { type: "object", properties: { x: { type: "string" } }, default: { y: 1 } },
      d: { type: "object", default: {}, required: ["z"], properties: {} },
      e: { type: "string", default: null },
    }),
    [
      `${at}[a].default: Invalid value: "integer":  in body must be of type string: "integer"`,
      `${at}[b].default: Invalid value: 3:  in body should be greater than or equal to 5`,
      `${at}[c].default: Invalid value: {"y":1}: must not have unknown fields`,
      `${at}[d].default.z: Required value`,
    ],
  ],
  [
    "uses supported keywords",
    spec({
      a: { type: "array", uniqueItems: true, items: { type: "string" } },
      b: { type: "strange" },
      c: { type: "string", pattern: "(?=a)" },
      d: { type: "string", $ref: "#/x" },
    }),
    [
      `${at}[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
      `${at}[b].type: Unsupported value: "strange": supported values: "array", "boolean", "integer", "number", "object", "string"`,
      `${at}[c].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: \`(?=\``,
      `${at}[d].$ref: Forbidden: $ref is not supported`,
    ],
  ],
] as [string, Schema, string[]][])("a structural schema %s", (_, schema, expected) => {
  expect(checkStructural(schema, "s").map(({ field, message }) => `${field}: ${message}`)).toEqual(expected);
});
