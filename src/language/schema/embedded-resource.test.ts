import { expect, it } from "vitest";
import { embeddedResources, validateEmbeddedResources } from "./embedded-resource.ts";
import type { Schema } from "./schema.ts";

const emb: Schema = { type: "object", "x-kubernetes-embedded-resource": true };
const schema: Schema = { type: "object", properties: { emb, list: { type: "array", items: emb } } };

it.each([
  [{ emb: { apiVersion: "v1", kind: "Pod", metadata: { name: "Any Name", namespace: "n" } } }, []],
  [
    { emb: { apiVersion: "a/b/c", kind: "", metadata: { labels: { "a b": "c" } } } },
    [
      'emb.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      'emb.kind: Invalid value: "": must not be empty',
      'emb.metadata.labels: Invalid value: "a b": name part must consist',
    ],
  ],
  [
    { list: [{ apiVersion: 5, kind: "bad kind!" }] },
    [
      "list[0].apiVersion: Invalid value: 5: must be a string",
      'list[0].kind: Invalid value: "bad kind!": may have mixed case, but',
    ],
  ],
])("%j has faults %j", (value, expected) => {
  const found = validateEmbeddedResources(value, schema).map(({ field, message }) => `${field}: ${message}`);
  expect(found).toHaveLength(expected.length);
  for (const [i, start] of expected.entries()) expect(found[i]).toContain(start);
});

it("finds embedded objects and their paths", () => {
  const value = { emb: { kind: "A" }, list: [{ kind: "B" }] };
  expect(embeddedResources(value, schema)).toEqual([
    { resource: value.emb, path: "emb" },
    { resource: value.list[0], path: "list[0]" },
  ]);
  expect(embeddedResources(value, { type: "object" })).toEqual([]);
});
