import { describe, expect, test } from "vitest";
import { deepFreeze } from "../object/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { fieldSetOf } from "./field/field-set.ts";
import { fieldsOf } from "./field/fields-of.ts";
import { toFieldsV1 } from "./field/field-set.ts";
import { keepTimesOfNoOp, updateManagedFields, type Write } from "./managed-fields.ts";
import { configMapSchema, customSchema, daemonSetSchema } from "./testing/sample-schemas.ts";

const EARLIER = "2026-01-01T00:00:00Z";
const NOW = "2026-01-01T00:01:00Z";

function configMap(rest: Record<string, unknown>, metadata: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", namespace: "rec", ...metadata }, ...rest };
}

function write(
  before: KubeObject | undefined,
  after: KubeObject,
  more: Partial<Write> = {},
): ManagedFieldsEntry[] | undefined {
  return updateManagedFields(
    deepFreeze({
      before,
      after,
      schema: configMapSchema,
      manager: "t",
      apiVersion: after.apiVersion,
      subresource: "",
      time: NOW,
      ...more,
    }),
  );
}

function entry(manager: string, fieldsV1: Record<string, unknown>, more: ManagedFieldsEntry = {}): ManagedFieldsEntry {
  return { manager, operation: "Update", apiVersion: "v1", time: EARLIER, fieldsType: "FieldsV1", fieldsV1, ...more };
}

const fieldsOfAll = (entries: ManagedFieldsEntry[] | undefined): Record<string, unknown> =>
  Object.fromEntries((entries ?? []).map((e) => [e.manager, e.fieldsV1]));

describe("creating an object", () => {
  test("gives its creator the fields it set, and their maps", () => {
    expect(write(undefined, configMap({ data: { k: "v" } }, { labels: { app: "x" } }))).toEqual([
      entry(
        "t",
        { "f:data": { ".": {}, "f:k": {} }, "f:metadata": { "f:labels": { ".": {}, "f:app": {} } } },
        { time: NOW },
      ),
    ]);
  });

  test("with only a name records no owner", () => {
    expect(write(undefined, configMap({}))).toBeUndefined();
  });

  test("records a client without a name as unknown, with generateName", () => {
    const created = write(undefined, configMap({}, { generateName: "gen-" }), { manager: "" });
    expect(fieldsOfAll(created)).toEqual({ unknown: { "f:metadata": { "f:generateName": {} } } });
  });

  test("of a built-in kind does not record structs that are always present", () => {
    const daemonSet: KubeObject = {
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "d", uid: "1", generation: 1, creationTimestamp: NOW },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: {
            containers: [
              { name: "one", image: "i1", env: [{ name: "A", value: "1" }], resources: {} },
              { name: "two", image: "i2", resources: {}, ports: [{ containerPort: 80 }] },
            ],
            securityContext: {},
          },
        },
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0 } },
      },
      status: { currentNumberScheduled: 0 },
    };
    expect(fieldsOfAll(write(undefined, daemonSet, { schema: daemonSetSchema }))).toEqual({
      t: {
        "f:spec": {
          "f:selector": {},
          "f:template": {
            "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
            "f:spec": {
              "f:containers": {
                'k:{"name":"one"}': {
                  ".": {},
                  "f:env": { ".": {}, 'k:{"name":"A"}': { ".": {}, "f:name": {}, "f:value": {} } },
                  "f:image": {},
                  "f:name": {},
                  "f:resources": {},
                },
                'k:{"name":"two"}': {
                  ".": {},
                  "f:image": {},
                  "f:name": {},
                  "f:ports": { ".": {}, 'k:{"containerPort":80,"protocol":"TCP"}': { ".": {}, "f:containerPort": {} } },
                  "f:resources": {},
                },
              },
              "f:securityContext": {},
            },
          },
          "f:updateStrategy": { "f:rollingUpdate": { ".": {}, "f:maxSurge": {} }, "f:type": {} },
        },
      },
    });
  });

  test("of a custom kind gives its creator spec itself, and follows the schema's lists", () => {
    const custom: KubeObject = {
      apiVersion: "e.com/v1",
      kind: "Thing",
      metadata: {
        name: "a",
        finalizers: ["e.com/hold"],
        ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p", uid: "u" }],
      },
      spec: {
        items: [{ name: "a", v: 1 }],
        tags: ["x", "y"],
        args: ["1"],
        free: { x: { y: 1 } },
        whole: { z: 1 },
        nul: null,
      },
    };
    expect(fieldsOfAll(write(undefined, custom, { schema: customSchema }))).toEqual({
      t: {
        "f:metadata": {
          "f:finalizers": { ".": {}, 'v:"e.com/hold"': {} },
          "f:ownerReferences": { ".": {}, 'k:{"uid":"u"}': {} },
        },
        "f:spec": {
          ".": {},
          "f:args": {},
          "f:free": { ".": {}, "f:x": { ".": {}, "f:y": {} } },
          "f:items": { ".": {}, 'k:{"name":"a"}': { ".": {}, "f:name": {}, "f:v": {} } },
          "f:nul": {},
          "f:tags": { ".": {}, 'v:"x"': {}, 'v:"y"': {} },
          "f:whole": {},
        },
      },
    });
  });

  test("does not record fields that the endpoint ignores", () => {
    const custom = { apiVersion: "e.com/v1", kind: "Thing", metadata: { name: "a" }, spec: {}, status: { phase: "x" } };
    const created = write(undefined, custom, { schema: customSchema, ignored: fieldSetOf(["f:status"]) });
    expect(fieldsOfAll(created)).toEqual({ t: { "f:spec": {} } });
  });
});

describe("updating an object", () => {
  const owned = [
    entry("t", { "f:data": { ".": {}, "f:k": {} }, "f:metadata": { "f:labels": { ".": {}, "f:app": {} } } }),
  ];
  const before = configMap({ data: { k: "v" } }, { labels: { app: "x" }, managedFields: owned });

  test("moves a changed field to the writer, and leaves the map", () => {
    const after = configMap({ data: { k: "v2" } }, { labels: { app: "x" } });
    expect(write(before, after, { manager: "unknown" })).toEqual([
      entry("t", { "f:data": {}, "f:metadata": { "f:labels": { ".": {}, "f:app": {} } } }),
      entry("unknown", { "f:data": { "f:k": {} } }, { time: NOW }),
    ]);
  });

  test("removes deleted fields from their owner", () => {
    const after = configMap({ data: { m: "1" } }, { labels: { app: "x" } });
    expect(fieldsOfAll(write(before, after, { manager: "m" }))).toEqual({
      m: { "f:data": { "f:m": {} } },
      t: { "f:data": {}, "f:metadata": { "f:labels": { ".": {}, "f:app": {} } } },
    });
  });

  test("by the same manager extends its entry and renews the time", () => {
    const after = configMap({ data: { k: "v", l: "1" } }, { labels: { app: "x" } });
    expect(write(before, after)).toEqual([
      entry(
        "t",
        { "f:data": { ".": {}, "f:k": {}, "f:l": {} }, "f:metadata": { "f:labels": { ".": {}, "f:app": {} } } },
        { time: NOW },
      ),
    ]);
  });

  test("that changes nothing keeps every entry as it is", () => {
    const after = configMap({ data: { k: "v" } }, { labels: { app: "x" }, resourceVersion: "7" });
    expect(write(before, after, { manager: "other" })).toEqual(owned);
  });

  test("drops entries without fields", () => {
    expect(write(before, configMap({}))).toBeUndefined();
  });

  test("through a subresource gets an entry of its own", () => {
    const after = configMap({ data: { k: "v2" } }, { labels: { app: "x" } });
    const entries = write(before, after, { subresource: "status" });
    expect(entries?.map((e) => [e.manager, e.subresource])).toEqual([
      ["t", undefined],
      ["t", "status"],
    ]);
  });

  test("does not start tracking an object that was not tracked", () => {
    expect(write(configMap({ data: { a: "1" } }), configMap({ data: { a: "2" } }))).toBeUndefined();
  });

  test.each<[name: string, managedFields: unknown]>([
    ["an empty list", []],
    ["one blank entry", [{}]],
  ])("with %s as managedFields stops tracking", (_name, managedFields) => {
    expect(write(before, configMap({ data: { k: "2" } }, { managedFields }))).toBeUndefined();
  });

  test("of a custom resource with empty managedFields keeps tracking", () => {
    const entries = write(before, configMap({ data: { k: "v" } }, { labels: { app: "x" }, managedFields: [] }), {
      schema: customSchema,
    });
    expect(entries).toEqual(owned);
  });

  test.each<[name: string, managedFields: unknown]>([
    ["null", null],
    ["a string", "x"],
    ["a list of scalars", [1]],
    ["an entry without operation", [{ manager: "x" }]],
    ["an entry without apiVersion", [entry("x", {}, { apiVersion: "" })]],
    ["an entry of another type", [entry("x", {}, { fieldsType: "FieldsV2" })]],
    ["fields that are not elements", [entry("x", { bogus: {} })]],
    ["fields that are a list", [entry("x", [] as unknown as Record<string, unknown>)]],
    ["a time that is a number", [{ ...entry("x", {}), time: 5 }]],
  ])("with %s as managedFields keeps the stored ones", (_name, managedFields) => {
    expect(write(before, configMap({ data: { k: "v" } }, { labels: { app: "x" }, managedFields }))).toEqual(owned);
  });

  test("with other managedFields stores those, in canonical spelling", () => {
    const managedFields = [entry("x", { "f:data": { "f:k": {}, ".": {} }, "f:a": {} })];
    const entries = write(before, configMap({ data: { k: "v" } }, { labels: { app: "x" }, managedFields }));
    expect(JSON.stringify(entries?.[0]?.fieldsV1)).toBe('{"f:a":{},"f:data":{".":{},"f:k":{}}}');
  });

  test("that cannot be tracked keeps the stored entries", () => {
    const live = { ...configMap({}), metadata: { name: "a", managedFields: owned } };
    const after = { ...live, spec: { items: [{ v: 1 }] } };
    expect(write(live, after, { schema: customSchema })).toBe(owned);
  });

  test("merges the oldest entries beyond ten", () => {
    const managedFields = Array.from({ length: 10 }, (_, i) =>
      entry(`m${i}`, { "f:data": { [`f:k${i}`]: {} } }, { time: `2026-01-01T00:00:0${i}Z` }),
    );
    const data = Object.fromEntries(managedFields.map((_, i) => [`k${i}`, "1"]));
    const entries = write(configMap({ data }, { managedFields }), configMap({ data: { ...data, n: "1" } }));
    expect(entries?.map((e) => e.manager)).toEqual([
      "ancient-changes",
      ...managedFields.slice(2).map((e) => e.manager),
      "t",
    ]);
    expect(entries?.[0]).toEqual(
      entry("ancient-changes", { "f:data": { "f:k0": {}, "f:k1": {} } }, { time: "2026-01-01T00:00:01Z" }),
    );
  });

  test("orders entries: appliers first, then by time, then by name", () => {
    const { time: _, ...untimed } = entry("y", { "f:data": { "f:b": {} } }, { operation: "Apply" });
    const managedFields = [
      entry("z", { "f:data": { "f:a": {} } }, { operation: "Apply", time: NOW }),
      untimed,
      entry("x", { "f:data": { "f:c": {} } }, { time: NOW }),
    ];
    const data = { a: "1", b: "1", c: "1" };
    const entries = write(configMap({ data }, { managedFields }), configMap({ data: { ...data, d: "1" } }));
    expect(entries?.map((e) => e.manager)).toEqual(["y", "z", "t", "x"]);
  });

  test("compares lists with repeated keys as a whole", () => {
    const items = (...values: number[]): KubeObject => ({
      apiVersion: "e.com/v1",
      kind: "Thing",
      metadata: { name: "a", managedFields: owned },
      spec: { items: values.map((v) => ({ name: "a", v })) },
    });
    const item = (after: KubeObject, live: KubeObject): unknown =>
      fieldsOfAll(write(live, after, { schema: customSchema, manager: "m" }))["m"];
    expect(item(items(1, 2), items(1))).toEqual({ "f:spec": { "f:items": { 'k:{"name":"a"}': {} } } });
    expect(item(items(1, 3), items(1, 2))).toEqual({ "f:spec": { "f:items": { 'k:{"name":"a"}': {} } } });
    expect(item(items(1, 2), items(1, 2))).toBeUndefined();
    expect(item(items(1), items(1, 2))).toEqual({
      "f:spec": { "f:items": { 'k:{"name":"a"}': { ".": {}, "f:name": {}, "f:v": {} } } },
    });
  });

  test("treats names of Object.prototype as ordinary names", () => {
    const data = JSON.parse('{"__proto__":"1","constructor":"2"}') as Record<string, string>;
    expect(JSON.stringify(fieldsOfAll(write(before, configMap({ data }), { manager: "m" }))["m"])).toBe(
      '{"f:data":{"f:__proto__":{},"f:constructor":{}}}',
    );
  });
});

describe("the fields of an object", () => {
  const schema: Schema = {
    type: "object",
    properties: {
      list: { type: "array", items: {}, "x-kubernetes-list-type": "set" },
      struct: { type: "object", properties: { a: { type: "string" } } },
      map: { type: "object", additionalProperties: { type: "string" } },
    },
  };
  test.each<[name: string, object: unknown, fields: unknown]>([
    ["parents that the schema names are not among them", { struct: { a: "1" } }, { "f:struct": { "f:a": {} } }],
    ["empty and null ones are", { struct: {}, map: null }, { "f:struct": {}, "f:map": {} }],
    ["an empty list of items is not", { list: [] }, {}],
    [
      "keys of maps are, with what is below them",
      { other: { x: { y: 1 } } },
      { "f:other": { ".": {}, "f:x": { ".": {}, "f:y": {} } } },
    ],
  ])("%s", (_name, object, fields) => {
    expect(toFieldsV1(fieldsOf(object, schema))).toEqual(fields);
  });
});

describe("a write that changes only times", () => {
  const before = configMap({ data: { a: "1" } }, { managedFields: [entry("t", { "f:data": { "f:a": {} } })] });
  const renewed = [entry("t", { "f:data": { "f:a": {} } }, { time: NOW })];

  test("keeps the old times", () => {
    const after = configMap({ data: { a: "1" } }, { managedFields: renewed });
    expect(keepTimesOfNoOp(before, after)).toBe(before.metadata.managedFields);
  });

  test("and another field keeps the new ones", () => {
    const after = configMap({ data: { a: "2" } }, { managedFields: renewed });
    expect(keepTimesOfNoOp(before, after)).toBe(renewed);
    const taken = [entry("u", { "f:data": { "f:a": {} } }, { time: NOW })];
    expect(keepTimesOfNoOp(before, configMap({ data: { a: "1" } }, { managedFields: taken }))).toBe(taken);
  });
});
