import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../object/json.ts";
import type { Json, JsonObject } from "../../object/json.ts";
import type { Schema } from "../../schema/schema.ts";
import { applyStrategicMerge } from "./strategic-merge.ts";

const byName = (properties: Record<string, Schema>): Schema => ({
  type: "array",
  items: { type: "object", properties: { name: { type: "string" }, ...properties } },
  "x-kubernetes-patch-strategy": "merge",
  "x-kubernetes-patch-merge-key": "name",
});

const schema: Schema = {
  type: "object",
  properties: {
    containers: byName({ image: { type: "string" }, env: byName({ value: { type: "string" } }) }),
    finalizers: { type: "array", items: { type: "string" }, "x-kubernetes-patch-strategy": "merge" },
    args: { type: "array", items: { type: "string" } },
    strategy: { type: "object", "x-kubernetes-patch-strategy": "retainKeys", properties: { type: {}, rolling: {} } },
    whole: { type: "object", "x-kubernetes-patch-strategy": "replace" },
    labels: { type: "object", additionalProperties: { type: "string" } },
  },
};

const containers = (...items: [name: string, image: string][]): Json => items.map(([name, image]) => ({ name, image }));

describe("a strategic merge patch", () => {
  test.each<[name: string, document: JsonObject, patch: JsonObject, result: JsonObject]>([
    [
      "merges items by key, in the patch's order",
      {
        containers: [
          { name: "one", image: "i1", env: [{ name: "A", value: "1" }] },
          { name: "two", image: "i2" },
        ],
      },
      {
        containers: [
          { name: "two", image: "i3" },
          { name: "one", env: [{ name: "B", value: "2" }] },
        ],
      },
      {
        containers: [
          { name: "two", image: "i3" },
          {
            name: "one",
            image: "i1",
            env: [
              { name: "B", value: "2" },
              { name: "A", value: "1" },
            ],
          },
        ],
      },
    ],
    [
      "keeps live items before those that they precede",
      { containers: containers(["a", "1"], ["b", "1"], ["c", "1"]) },
      { containers: containers(["c", "2"], ["n", "2"]) },
      { containers: containers(["a", "1"], ["b", "1"], ["c", "2"], ["n", "2"]) },
    ],
    [
      "puts new items before unrelated live items",
      { containers: containers(["a", "1"]) },
      { containers: containers(["n", "2"]) },
      { containers: containers(["n", "2"], ["a", "1"]) },
    ],
    [
      "deletes an item",
      { containers: containers(["one", "1"], ["two", "2"]) },
      { containers: [{ name: "one", $patch: "delete" }] },
      { containers: containers(["two", "2"]) },
    ],
    [
      "replaces a list",
      { containers: containers(["one", "1"], ["two", "2"]) },
      { containers: [{ $patch: "replace" }, { name: "three", image: "3" }] },
      { containers: containers(["three", "3"]) },
    ],
    [
      "replaces an object",
      { labels: { a: "1", b: "2" } },
      { labels: { $patch: "replace", c: "3" } },
      { labels: { c: "3" } },
    ],
    ["empties an object", { labels: { a: "1" } }, { labels: { $patch: "delete" } }, { labels: {} }],
    ["deletes with null", { labels: { a: "1", b: "2" } }, { labels: { a: null } }, { labels: { b: "2" } }],
    ["writes no nulls into new objects", {}, { labels: { a: null, b: "1" } }, { labels: { b: "1" } }],
    [
      "merges lists of primitives",
      { finalizers: ["a", "b"] },
      { finalizers: ["c", "b"] },
      { finalizers: ["c", "a", "b"] },
    ],
    [
      "deletes from lists of primitives",
      { finalizers: ["a", "b", "c"] },
      { "$deleteFromPrimitiveList/finalizers": ["a", "c"] },
      { finalizers: ["b"] },
    ],
    [
      "orders lists of primitives",
      { finalizers: ["a", "b", "c"] },
      { "$setElementOrder/finalizers": ["c", "a"] },
      { finalizers: ["b", "c", "a"] },
    ],
    [
      "orders items, with live items among them",
      { containers: containers(["a", "1"], ["b", "1"], ["c", "1"]) },
      {
        "$setElementOrder/containers": [{ name: "c" }, { name: "a" }],
        containers: [{ name: "c", image: "2" }],
      },
      { containers: containers(["b", "1"], ["c", "2"], ["a", "1"]) },
    ],
    ["replaces lists without a merge strategy", { args: ["a", "b"] }, { args: ["c"] }, { args: ["c"] }],
    ["replaces objects whose strategy says so", { whole: { a: 1 } }, { whole: { b: 2 } }, { whole: { b: 2 } }],
    [
      "retains only the named keys",
      { strategy: { type: "Rolling", rolling: { max: 1 } } },
      { strategy: { $retainKeys: ["type"], type: "Recreate" } },
      { strategy: { type: "Recreate" } },
    ],
    [
      "merges what no schema describes as JSON",
      { x: { a: { b: 1 } } },
      { x: { a: { c: [1] } } },
      { x: { a: { b: 1, c: [1] } } },
    ],
    [
      "takes no directives into what it adds",
      {},
      { containers: [{ name: "a", "$setElementOrder/env": [], env: [{ name: "X", $patch: "delete" }] }] },
      { containers: [{ name: "a", env: [] }] },
    ],
  ])("%s", (_name, document, patch, result) => {
    expect(applyStrategicMerge(deepFreeze(document), deepFreeze(patch), schema)).toEqual(result);
  });

  test.each<[name: string, document: JsonObject, patch: JsonObject, kind: string, message: string]>([
    ["an unknown directive", { labels: {} }, { labels: { $patch: "bogus" } }, "internal", "unknown patch type"],
    ["retainKeys that is no list", {}, { $retainKeys: 5 }, "malformed", "invalid patch format of retainKeys"],
    ["a key outside retainKeys", {}, { $retainKeys: ["a"], b: 1 }, "malformed", "invalid patch format of retainKeys"],
    [
      "an order that is no list",
      {},
      { "$setElementOrder/args": 1 },
      "malformed",
      "invalid patch format of setElementOrder list",
    ],
    ["an order of nothing", {}, { $setElementOrder: [] }, "malformed", "invalid patch format of setElementOrder list"],
    [
      "an item without its key",
      { containers: containers(["a", "1"]) },
      { containers: [{ image: "2" }] },
      "internal",
      "does not contain declared merge key: name",
    ],
    [
      "a list of lists",
      { finalizers: [["a"]] },
      { finalizers: [["b"]] },
      "unprocessable",
      "lists of lists are not supported",
    ],
    [
      "items of mixed types",
      { finalizers: ["a"] },
      { finalizers: [{}] },
      "internal",
      "list element types are not identical",
    ],
    [
      "an item that its own order does not name",
      { containers: containers(["a", "1"]) },
      { "$setElementOrder/containers": [{ name: "a" }], containers: containers(["b", "1"]) },
      "internal",
      "doesn't match $setElementOrder",
    ],
  ])("is refused: %s", (_name, document, patch, kind, message) => {
    expect(() => applyStrategicMerge(document, patch, schema)).toThrow(
      expect.objectContaining({ kind, message: expect.stringContaining(message) as string }),
    );
  });

  test("treats __proto__ as an ordinary name", () => {
    const patch = JSON.parse('{"labels":{"__proto__":"x"},"__proto__":{"polluted":true}}') as JsonObject;
    const result = applyStrategicMerge({ labels: {} }, patch, schema);
    expect(JSON.stringify(result)).toBe('{"labels":{"__proto__":"x"},"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
