import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { applyBody, isApplied } from "./applied-fields.ts";

type Fields = Record<string, unknown>;
const node = (fields: Fields, metadata: Fields = {}): KubeObject =>
  deepFreeze({ apiVersion: "v1", kind: "Node", metadata: { name: "n", ...metadata }, ...fields });

const observed = (fields: Fields, owned: Fields | undefined, metadata: Fields = {}): KubeObject =>
  node(fields, {
    resourceVersion: "1",
    ...metadata,
    ...(owned && {
      managedFields: [
        { manager: "kubelet", operation: "Update", apiVersion: "v1", fieldsV1: { "f:spec": { "f:b": {} } } },
        {
          manager: "attune",
          operation: "Apply",
          apiVersion: "v1",
          subresource: "status",
          fieldsV1: { "f:status": {} },
        },
        { manager: "attune", operation: "Apply", apiVersion: "v1", fieldsV1: owned },
      ],
    }),
  });

const a = { "f:spec": { "f:a": {} } };
const ports = { "f:spec": { "f:ports": { 'k:{"port":80}': { ".": {}, "f:port": {}, "f:name": {} } } } };
const web = { port: 80, name: "web" };

describe("no apply is needed when", () => {
  test.each<[string, KubeObject, KubeObject]>([
    ["we own the fields with these values", node({ spec: { a: 1 } }), observed({ spec: { a: 1, b: 2 } }, a)],
    [
      "labels too",
      node({}, { labels: { x: "y" } }),
      observed({}, { "f:metadata": { "f:labels": { "f:x": {} } } }, { labels: { x: "y", z: "" } }),
    ],
    [
      "an item of a list is ours among others'",
      node({ spec: { ports: [web] } }),
      observed({ spec: { ports: [{ port: 1 }, web] } }, ports),
    ],
    [
      "values of a set are ours among others'",
      node({ spec: { set: ["x"] } }),
      observed({ spec: { set: ["w", "x"] } }, { "f:spec": { "f:set": { 'v:"x"': {} } } }),
    ],
    ["an atomic list is equal", node({ spec: { a: [1, 2] } }), observed({ spec: { a: [1, 2] } }, a)],
    ["an empty map is there", node({ spec: { a: {} } }), observed({ spec: { a: { b: 1 } } }, a)],
    [
      "managedFields are not kept and the values are there",
      node({ spec: { a: 1 } }),
      observed({ spec: { a: 1, b: 2 } }, undefined),
    ],
  ])("%s", (_, wanted, seen) => {
    expect(isApplied(wanted, seen, "attune")).toBe(true);
  });
});

describe("an apply is needed when", () => {
  test.each<[string, KubeObject, KubeObject]>([
    ["a value differs", node({ spec: { a: 1 } }), observed({ spec: { a: 2 } }, a)],
    ["the value is right but another's", node({ spec: { b: 2 } }), observed({ spec: { b: 2 } }, {})],
    [
      "we own a field that is no longer wanted",
      node({ spec: { a: 1 } }),
      observed({ spec: { a: 1, c: 3 } }, { "f:spec": { "f:a": {}, "f:c": {} } }),
    ],
    ["nothing is wanted any more", node({}), observed({ spec: { a: 1 } }, a)],
    ["a field is new", node({ spec: { a: 1, c: 1 } }), observed({ spec: { a: 1 } }, a)],
    [
      "an item differs",
      node({ spec: { ports: [web] } }),
      observed({ spec: { ports: [{ port: 80, name: "x" }] } }, ports),
    ],
    ["an item is no longer wanted", node({ spec: { ports: [] } }), observed({ spec: { ports: [web] } }, ports)],
    [
      "a value of a set is gone",
      node({ spec: { set: ["x"] } }),
      observed({ spec: { set: [] } }, { "f:spec": { "f:set": { 'v:"x"': {} } } }),
    ],
    ["an atomic list is longer", node({ spec: { a: [1] } }), observed({ spec: { a: [1, 2] } }, a)],
    [
      "managedFields are not kept and a value differs",
      node({ spec: { a: 1 } }),
      observed({ spec: { a: 2 } }, undefined),
    ],
    [
      "the field is owned through another version",
      node({ spec: { a: 1 } }),
      {
        ...observed({ spec: { a: 1 } }, a),
        metadata: { managedFields: [{ manager: "attune", operation: "Apply", apiVersion: "v1beta1", fieldsV1: a }] },
      },
    ],
  ])("%s", (_, wanted, seen) => {
    expect(isApplied(wanted, seen, "attune")).toBe(false);
  });
});

test("the applied body has neither status nor fields that the server sets", () => {
  const metadata = { namespace: "x", labels: { a: "1" }, resourceVersion: "1", managedFields: [], generation: 2 };
  expect(applyBody(node({ spec: { a: 1 }, status: {} }, metadata))).toEqual({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", namespace: "x", labels: { a: "1" } },
    spec: { a: 1 },
  });
});
