import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { deepFreeze, equal, isObject } from "../object/json.ts";
import type { KubeObject, ManagedFieldsEntry } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { applyConfiguration } from "./apply-configuration.ts";
import type { Application, ApplyConflict, ApplyResult } from "./apply-configuration.ts";
import { fieldSetOf } from "./field/field-set.ts";
import { updateManagedFields } from "./managed-fields.ts";
import { configMapSchema, customSchema, daemonSetSchema } from "./testing/sample-schemas.ts";

const NOW = "2026-01-01T00:01:00Z";
const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

function configMap(data?: Record<string, unknown> | null, metadata: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "s", ...metadata },
    ...(data === undefined ? {} : { data }),
  };
}

function thing(spec: Record<string, unknown>, metadata: Record<string, unknown> = {}): KubeObject {
  return { apiVersion: "e.com/v1", kind: "Thing", metadata: { name: "s", ...metadata }, spec };
}

function apply(
  live: KubeObject | undefined,
  config: KubeObject,
  manager: string,
  more: Partial<Application> = {},
): ApplyResult {
  const { apiVersion } = config;
  const schema = apiVersion === "v1" ? configMapSchema : customSchema;
  return applyConfiguration(
    deepFreeze({ live, config, schema, manager, force: false, apiVersion, subresource: "", time: NOW, ...more }),
  );
}

function applied(...args: Parameters<typeof apply>): KubeObject {
  const result = apply(...args);
  if (result.type === "conflict") throw new Error(`conflict: ${JSON.stringify(result.conflicts)}`);
  return result.object;
}

function conflicts(...args: Parameters<typeof apply>): ApplyConflict[] {
  const result = apply(...args);
  return result.type === "conflict" ? result.conflicts : [];
}

function updated(
  before: KubeObject,
  after: KubeObject,
  writer: { manager: string; schema: Schema; subresource?: string },
): KubeObject {
  const { apiVersion } = after;
  const managedFields = updateManagedFields({ before, after, apiVersion, subresource: "", time: NOW, ...writer });
  return { ...after, metadata: { ...after.metadata, managedFields } };
}

const owners = (object: KubeObject): [manager: string | undefined, fields: Record<string, unknown> | undefined][] =>
  (object.metadata.managedFields ?? []).map((entry) => [entry.manager, entry.fieldsV1]);

const data = (...keys: string[]): Record<string, unknown> => ({
  "f:data": Object.fromEntries(keys.map((key) => [`f:${key}`, {}])),
});

describe("two appliers and an updater of one object", () => {
  const created = applied(undefined, configMap({ a: "1", b: "1" }), "one");
  const second = applied(created, configMap({ c: "1" }), "two");
  const shared = applied(second, configMap({ a: "1", c: "1" }), "two");
  const forced = applied(shared, configMap({ a: "3", c: "1" }), "two", { force: true });
  const dropped = applied(forced, configMap({}), "one");
  const taken = updated(
    dropped,
    { ...dropped, data: { a: "3", c: "9" } },
    { manager: "three", schema: configMapSchema },
  );

  test("apply creates, and owns the fields of the configuration", () => {
    expect(created).toEqual({
      ...configMap({ a: "1", b: "1" }),
      metadata: {
        name: "s",
        managedFields: [
          {
            manager: "one",
            operation: "Apply",
            apiVersion: "v1",
            time: NOW,
            fieldsType: "FieldsV1",
            fieldsV1: data("a", "b"),
          },
        ],
      },
    });
  });

  test("a second manager adds fields of its own", () => {
    expect(second["data"]).toEqual({ a: "1", b: "1", c: "1" });
    expect(owners(second)).toEqual([
      ["one", data("a", "b")],
      ["two", data("c")],
    ]);
  });

  test("a change of another manager's field conflicts", () => {
    expect(conflicts(second, configMap({ a: "2" }), "two")).toEqual([{ manager: "one", detail: "", field: ".data.a" }]);
  });

  test("the same value is owned by both", () => {
    expect(owners(shared)).toEqual([
      ["one", data("a", "b")],
      ["two", data("a", "c")],
    ]);
  });

  test("force takes ownership", () => {
    expect(forced["data"]).toEqual({ a: "3", b: "1", c: "1" });
    expect(owners(forced)).toEqual([
      ["one", data("b")],
      ["two", data("a", "c")],
    ]);
  });

  test("a field that its only owner no longer applies is removed", () => {
    expect(dropped["data"]).toEqual({ a: "3", c: "1" });
    expect(owners(dropped)).toEqual([
      ["one", { "f:data": {} }],
      ["two", data("a", "c")],
    ]);
  });

  test("an update takes ownership, and later applies conflict", () => {
    expect(owners(taken)).toEqual([
      ["one", { "f:data": {} }],
      ["two", data("a")],
      ["three", data("c")],
    ]);
    expect(conflicts(taken, configMap({ a: "3", c: "1" }), "two")).toEqual([
      { manager: "three", detail: " using v1", field: ".data.c" },
    ]);
  });

  test("applying the same configuration again changes nothing, not even times", () => {
    expect(applied(taken, configMap({}), "one", { time: "2027-01-01T00:00:00Z" })).toEqual(taken);
  });

  test("a new applier that changes nothing has no time", () => {
    const joined = applied(created, configMap({ a: "1" }), "two");
    expect(joined.metadata.managedFields?.map((entry) => [entry.manager, entry.time])).toEqual([
      ["two", undefined],
      ["one", NOW],
    ]);
  });

  test("null does not remove fields below it", () => {
    const nulled = applied(second, configMap(null), "two");
    expect(nulled["data"]).toEqual({ a: "1", b: "1" });
    expect(owners(nulled)[1]).toEqual(["two", { "f:data": {} }]);
  });

  test("a manager that applies nothing any more loses its entry", () => {
    expect(owners(applied(second, configMap(), "two"))).toEqual([["one", data("a", "b")]]);
  });

  test("fields of another manager below a dropped field stay", () => {
    const both = updated(
      created,
      { ...created, data: { a: "1", b: "1", x: "1" } },
      { manager: "u", schema: configMapSchema },
    );
    expect(applied(both, configMap(), "one")["data"]).toEqual({ x: "1" });
  });

  test("an emptied map that is still owned is absent in a built-in object and {} in a custom one", () => {
    const map = applied(created, configMap({}), "one");
    expect(map).not.toHaveProperty("data");
    expect(owners(map)).toEqual([["one", { "f:data": {} }]]);
    const custom = applied(applied(undefined, thing({ level: 1 }), "one"), thing({}), "one");
    expect(custom["spec"]).toEqual({});
    expect(owners(custom)).toEqual([["one", { "f:spec": {} }]]);
  });
});

describe("lists in an applied configuration", () => {
  const item = (name: string, v?: number): Record<string, unknown> => ({ name, ...(v === undefined ? {} : { v }) });
  const live = applied(undefined, thing({ items: [item("a", 1), item("b", 1)], tags: ["x"], args: ["1"] }), "one");
  const spec = (object: KubeObject): Record<string, unknown> => object["spec"] as Record<string, unknown>;

  test.each<[name: string, items: unknown[], result: unknown[]]>([
    [
      "new items come after those they follow",
      [item("n"), item("m")],
      [item("a", 1), item("b", 1), item("n"), item("m")],
    ],
    ["shared items take the configuration's order", [item("b"), item("a")], [item("b", 1), item("a", 1)]],
    ["items before a shared one stay before it", [item("b"), item("n")], [item("a", 1), item("b", 1), item("n")]],
  ])("%s", (_name, items, result) => {
    expect(spec(applied(live, thing({ items }), "two"))["items"]).toEqual(result);
  });

  test("items conflict field by field", () => {
    expect(conflicts(live, thing({ items: [item("a", 2)], tags: ["y"], args: ["2"] }), "two")).toEqual([
      { manager: "one", detail: "", field: ".spec.args" },
      { manager: "one", detail: "", field: '.spec.items[name="a"].v' },
    ]);
  });

  test("items of a set are merged, and removed with their owner", () => {
    const both = applied(live, thing({ tags: ["y", "x"] }), "two");
    expect(spec(both)["tags"]).toEqual(["y", "x"]);
    expect(spec(applied(both, thing({ items: [item("a", 1)] }), "one"))).toEqual({
      items: [item("a", 1)],
      tags: ["y", "x"],
    });
    expect(spec(applied(both, thing({}), "two"))["tags"]).toEqual(["x"]);
  });

  test("an empty list has no owner: it is removed with its last item, and kept if it is applied", () => {
    const labels = { tracked: "1" };
    const first = applied(undefined, thing({ tags: ["x"] }, { labels }), "one");
    const emptied = applied(first, thing({ tags: [] }, { labels }), "one");
    expect(emptied).not.toHaveProperty("spec");
    const again = applied(emptied, thing({ tags: [] }, { labels }), "one");
    expect(spec(again)).toEqual({ tags: [] });
    expect(owners(again)).toEqual([["one", { "f:metadata": { "f:labels": { "f:tracked": {} } } }]]);
    expect(applied(again, thing({ tags: [] }, { labels }), "one", { time: "2030-01-01T00:00:00Z" })).toEqual(again);
  });

  test("a missing key counts with its default", () => {
    const ports = (...list: unknown[]): KubeObject => ({
      apiVersion: "apps/v1",
      kind: "DaemonSet",
      metadata: { name: "s" },
      spec: { template: { spec: { containers: [{ name: "one", ports: list }] } } },
    });
    const more = { schema: daemonSetSchema };
    const live = applied(undefined, ports({ containerPort: 80, protocol: "TCP", name: "web" }), "one", more);
    const both = applied(live, ports({ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }), "two", more);
    expect(both).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              {
                ports: [
                  { containerPort: 80, protocol: "TCP", name: "web" },
                  { containerPort: 80, protocol: "UDP" },
                ],
              },
            ],
          },
        },
      },
    });
    expect(conflicts(live, ports({ containerPort: 80, name: "dns" }), "two", more)).toEqual([
      {
        manager: "one",
        detail: "",
        field: '.spec.template.spec.containers[name="one"].ports[containerPort=80,protocol="TCP"].name',
      },
    ]);
  });

  test.each<[name: string, spec: Record<string, unknown>, fault: string]>([
    ["two items with one key", { items: [item("a"), item("a")] }, '.spec.items: duplicate entries for key [name="a"]'],
    ["a value twice in a set", { tags: ["x", "x"] }, '.spec.tags: duplicate entries for key [="x"]'],
    [
      "an item without a key",
      { items: [{ v: 1 }] },
      ".spec.items: element 0: associative list with keys has an element that omits all key fields",
    ],
    [
      "an item that is not an object",
      { items: [null] },
      ".spec.items: element 0: associative list with keys may not have non-map elements",
    ],
    ["a field the kind does not have", { nope: 1 }, ".spec.nope: field not declared in schema"],
    ["an object for a list", { items: {} }, ".spec.items: expected list, got a map"],
    ["a list for an object", { free: [] }, ".spec.free: expected map, got a list"],
    ["a string for a number", { level: "1" }, ".spec.level: expected numeric (int or float), got string"],
  ])("%s is refused", (_name, spec, fault) => {
    expect(() => apply(live, thing(spec), "two")).toThrow(
      expect.objectContaining({
        kind: "internal",
        message: expect.stringContaining(
          `failed to create typed patch object (/s; e.com/v1, Kind=Thing): ${fault}`,
        ) as string,
      }),
    );
  });
});

describe("an applied configuration", () => {
  test("must not contain managedFields", () => {
    const config = configMap({}, { managedFields: [{ manager: "x" }] });
    expect(() => apply(undefined, config, "one")).toThrow(
      expect.objectContaining({ kind: "malformed", message: "metadata.managedFields must be nil" }),
    );
  });

  test("of an object without managed fields gives the other fields to before-first-apply", () => {
    const object = applied(configMap({ a: "1", b: "1" }), configMap({ a: "1" }), "one");
    expect(owners(object)).toEqual([
      ["one", data("a")],
      ["before-first-apply", { "f:data": { ".": {}, "f:a": {}, "f:b": {} } }],
    ]);
    expect(conflicts(configMap({ a: "1" }), configMap({ a: "2" }), "one")).toEqual([
      { manager: "before-first-apply", detail: " using v1", field: ".data.a" },
    ]);
  });

  test("through a subresource counts as another manager, which conflicts name", () => {
    const live = applied(undefined, thing({ level: 1 }), "one", { subresource: "status" });
    expect(conflicts(live, thing({ level: 2 }), "one")).toEqual([
      { manager: "one", detail: ' with subresource "status"', field: ".spec.level" },
    ]);
    const scaled = updated(
      live,
      { ...live, spec: { level: 3 } },
      { manager: "one", schema: customSchema, subresource: "scale" },
    );
    expect(conflicts(scaled, thing({ level: 2 }), "one")).toEqual([
      { manager: "one", detail: ' with subresource "scale" using e.com/v1', field: ".spec.level" },
    ]);
  });

  test("does not own what the endpoint ignores", () => {
    const config = { ...thing({ level: 1 }), status: { phase: "x" } };
    const object = applied(undefined, config, "one", { ignored: fieldSetOf(["f:status"]) });
    expect(owners(object)).toEqual([["one", { "f:spec": { "f:level": {} } }]]);
  });

  test("conflicts are sorted by manager and field", () => {
    const first = applied(undefined, configMap({ b: "1", a: "1" }), "zed");
    const both = applied(first, configMap({ c: "1" }), "ann");
    const found = conflicts(both, configMap({ c: "2", b: "2", a: "2" }), "new");
    expect(found.map(({ manager, field }) => manager + field)).toEqual(["ann.data.c", "zed.data.a", "zed.data.b"]);
  });

  test("by kubectl takes over the fields of client-side apply, and updates its annotation", () => {
    const note = JSON.stringify(configMap({ a: "1", b: "1" }));
    const live = updated(
      configMap(undefined, { managedFields: [] }),
      configMap({ a: "1", b: "changed" }, { annotations: { [LAST_APPLIED]: note } }),
      { manager: "kubectl-client-side-apply", schema: configMapSchema },
    );
    const tracked = {
      ...live,
      metadata: {
        ...live.metadata,
        managedFields: [
          {
            manager: "csa",
            operation: "Update",
            apiVersion: "v1",
            fieldsType: "FieldsV1",
            fieldsV1: data("a", "b"),
          } satisfies ManagedFieldsEntry,
        ],
      },
    };
    const object = applied(tracked, configMap({ a: "2" }), "kubectl");
    expect(object["data"]).toEqual({ a: "2", b: "changed" });
    expect(object.metadata.annotations?.[LAST_APPLIED]).toBe(
      '{"apiVersion":"v1","data":{"a":"2"},"kind":"ConfigMap","metadata":{"name":"s"}}\n',
    );
    expect(conflicts(tracked, configMap({ a: "2" }), "helm")).toHaveLength(1);
    expect(conflicts(tracked, configMap({ a: "2", b: "2" }), "kubectl").map(({ field }) => field)).toEqual([".data.b"]);
  });
});

describe("any sequence of applications", () => {
  // Two things a configuration can say are not in the object afterwards, on the real server neither: a null, which keeps
  // what others have below it, and an empty list of items, which has no owner. Both have tests of their own above.
  const free = fc
    .jsonValue({ maxDepth: 2 })
    .map((value) => JSON.parse(JSON.stringify(value).replaceAll("null", "0")) as unknown);
  const spec = fc.record(
    {
      level: fc.integer({ min: 0, max: 2 }),
      items: fc.uniqueArray(fc.record({ name: fc.constantFrom("a", "b", "c"), v: fc.integer({ min: 0, max: 1 }) }), {
        minLength: 1,
        selector: ({ name }) => name,
      }),
      tags: fc.uniqueArray(fc.constantFrom("x", "y", "__proto__"), { minLength: 1 }),
      args: fc.array(fc.constantFrom("1", "2"), { maxLength: 2 }),
      free: fc.dictionary(fc.constantFrom("k", "__proto__", "constructor"), free),
    },
    { requiredKeys: [] },
  );
  const step = fc.record({ manager: fc.constantFrom("one", "two", "three"), spec });

  test("keeps each configuration in the object, and a repeated apply changes nothing", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), (steps) => {
        // An object without owners is not tracked, and the next apply starts tracking it.
        let live = applied(undefined, thing({}, { labels: { tracked: "1" } }), "base");
        for (const { manager, spec } of steps) {
          const config = thing(spec);
          live = applied(live, config, manager, { force: true });
          expect(contains(live["spec"] ?? {}, spec)).toBe(true);
          expect(applied(live, config, manager, { time: "2030-01-01T00:00:00Z" })).toEqual(live);
        }
        expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
      }),
    );
  });
});

/** Whether every field of `config` is in `live`: lists of items by name, sets by value, the rest as it is. */
function contains(live: unknown, config: unknown): boolean {
  if (isObject(config)) {
    return (
      isObject(live) && Object.keys(config).every((key) => Object.hasOwn(live, key) && contains(live[key], config[key]))
    );
  }
  if (!Array.isArray(config)) return equal(live, config);
  if (!Array.isArray(live)) return false;
  return config.every((item) =>
    live.some((other) =>
      isObject(item) && isObject(other) && item["name"] === other["name"] ? contains(other, item) : equal(item, other),
    ),
  );
}
