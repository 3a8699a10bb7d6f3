import { expect, it } from "vitest";
import type { Schema } from "./schema.ts";
import { strayNulls } from "./stray-null.ts";

const text: Schema = { type: "string" };
const schema: Schema = {
  type: "object",
  properties: {
    plain: text,
    nullable: { ...text, nullable: true },
    filled: { ...text, default: "x" },
    either: { "x-kubernetes-int-or-string": true },
    any: { "x-kubernetes-preserve-unknown-fields": true },
    list: { type: "array", items: { type: "object", properties: { plain: text } } },
  },
  additionalProperties: text,
};

it.each([
  [{ plain: "x", nullable: null, filled: null, any: null }, []],
  [{ plain: null }, ["plain"]],
  [{ list: null, either: null }, ["list", "either"]],
  [{ list: [{ plain: null }, null] }, ["list[0].plain", "list[1]"]],
  [{ other: null }, ["other"]],
])("%j has stray nulls at %j", (value, fields) => {
  expect(strayNulls(value, schema).map(({ field }) => field)).toEqual(fields);
});
