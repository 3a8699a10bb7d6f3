import { expect, it } from "vitest";
import { pruneUnknown } from "./prune.ts";
import type { Schema } from "./schema.ts";

const known: Schema = { type: "object", properties: { a: { type: "string" } } };
const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        known,
        list: { type: "array", items: known },
        strings: { type: "array", items: { type: "string" } },
        map: { type: "object", additionalProperties: known },
        anything: { type: "object", additionalProperties: true },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { known } },
        emb: { type: "object", "x-kubernetes-embedded-resource": true, properties: { spec: known } },
      },
    },
  },
};

it.each([
  [{ spec: { junk: 1, known: { a: "x", b: 1 } } }, { spec: { known: { a: "x" } } }, ["spec.junk", "spec.known.b"]],
  [{ spec: { list: [{ a: "x" }, { x: 1 }] } }, { spec: { list: [{ a: "x" }, {}] } }, ["spec.list[1].x"]],
  [{ spec: { strings: ["a", { x: 1 }] } }, { spec: { strings: ["a", { x: 1 }] } }, []],
  [{ spec: { map: { k: { x: 1 } } } }, { spec: { map: { k: {} } } }, ["spec.map.k.x"]],
  [{ spec: { anything: { x: { y: 1 } } } }, { spec: { anything: { x: { y: 1 } } } }, []],
  [
    { spec: { free: { x: { y: 1 }, known: { z: 1 } } } },
    { spec: { free: { x: { y: 1 }, known: {} } } },
    ["spec.free.known.z"],
  ],
  [
    { spec: { emb: { apiVersion: "v1", kind: "A", metadata: { name: "x" }, status: {}, spec: { x: 1 } } } },
    { spec: { emb: { apiVersion: "v1", kind: "A", metadata: { name: "x" }, spec: {} } } },
    ["spec.emb.status", "spec.emb.spec.x"],
  ],
  [
    { apiVersion: "v1", kind: "A", metadata: { name: "x" }, status: {} },
    { apiVersion: "v1", kind: "A", metadata: { name: "x" } },
    ["status"],
  ],
  [{ constructor: 1, spec: 5 }, { spec: 5 }, ["constructor"]],
])("%j becomes %j", (value, expected, unknown) => {
  expect(pruneUnknown(value, schema, { root: true })).toEqual(unknown);
  expect(value).toEqual(expected);
});

it("without root, apiVersion is pruned like any field", () => {
  expect(pruneUnknown({ apiVersion: "v1" }, schema)).toEqual(["apiVersion"]);
});
