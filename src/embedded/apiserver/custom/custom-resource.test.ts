import { describe, expect, it } from "vitest";
import { clone, deepFreeze, isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import type { Resource, Subresource } from "../resource.ts";
import { decodeCustom, resourcesOf } from "./custom-resource.ts";
import type { Definition } from "./definition.ts";

const names = {
  kind: "Dial",
  plural: "dials",
  singular: "dial",
  listKind: "DialList",
  shortNames: ["dl"],
  categories: ["all"],
};
const schema: Schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["level"],
      "x-kubernetes-validations": [
        { rule: "self.level <= self.max", message: "level over max" },
        { rule: "!has(oldSelf.mode) || self.mode == oldSelf.mode", message: "mode is immutable" },
      ],
      properties: {
        level: { type: "integer", minimum: 0, maximum: 100 },
        max: { type: "integer", default: 10 },
        mode: { type: "string", enum: ["auto", "manual"] },
        name: { type: "string", pattern: "^[a-z]+$", maxLength: 5 },
        port: { "x-kubernetes-int-or-string": true },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        items: {
          type: "array",
          maxItems: 3,
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["name"],
          items: {
            type: "object",
            required: ["name"],
            properties: { name: { type: "string" }, v: { type: "integer", default: 7 } },
          },
        },
        tags: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        replicas: { type: "integer" },
        nul: { type: "string", nullable: true },
      },
    },
    status: { type: "object", properties: { seen: { type: "integer" }, replicas: { type: "integer" } } },
  },
};
const definition: Definition = deepFreeze({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "dials.rec.example.com" },
  spec: {
    group: "rec.example.com",
    names,
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        additionalPrinterColumns: [{ name: "Level", type: "integer", jsonPath: ".spec.level" }],
        selectableFields: [{ jsonPath: ".spec.mode" }, { jsonPath: ".spec.level" }],
        schema: { openAPIV3Schema: schema },
      },
      { name: "v1alpha1", served: true, schema: { openAPIV3Schema: { type: "object" } } },
      { name: "v0", served: false, schema: { openAPIV3Schema: { type: "object" } } },
    ],
  },
});
const [dials, old] = resourcesOf(definition) as [Resource, Resource];

function dial(spec: unknown, more: object = {}): KubeObject {
  return { apiVersion: "rec.example.com/v1", kind: "Dial", metadata: { name: "one", namespace: "rec" }, spec, ...more };
}

const shown = (errors: readonly FieldError[] = []) => errors.map(({ field, message }) => `${field}: ${message}`);
const NOT_CHECKED =
  "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/** As a POST goes: decoding, defaults, preparation, validation. */
function created(resource: Resource, object: KubeObject): { object: KubeObject; unknown: string[]; faults: string[] } {
  const decoded = decodeCustom(clone(object), resource);
  resource.strategy.defaults?.(decoded.object);
  resource.strategy.prepareForCreate?.(decoded.object, 0, { name: "", groups: [] });
  return { ...decoded, faults: shown(resource.strategy.validate?.(decoded.object)) };
}

function stored(spec: object, more: object = {}): KubeObject {
  const { object } = created(dials, dial(spec));
  return deepFreeze({ ...object, ...more, metadata: { ...object.metadata, resourceVersion: "7" } });
}

function updated(before: KubeObject, change: object): string[] {
  const object = { ...clone(before), ...change };
  return shown([
    ...(dials.strategy.validate?.(object) ?? []),
    ...(dials.strategy.validateUpdate?.(object, before) ?? []),
  ]);
}

describe("resourcesOf", () => {
  it("makes a resource of every served version, under the definition's names", () => {
    expect([dials.version, old.version]).toEqual(["v1", "v1alpha1"]);
    expect(resourcesOf(definition)).toHaveLength(2);
    expect(dials).toMatchObject({ group: "rec.example.com", ...names, namespaced: true, origin: "custom" });
    expect([dials.storageVersion, old.storageVersion]).toEqual(["v1", "v1"]);
    expect(Object.keys(dials.subresources)).toEqual(["status", "scale"]);
    expect(Object.keys(old.subresources)).toEqual([]);
  });

  it("prefers the names that were accepted", () => {
    const acceptedNames = { ...names, shortNames: [] };
    const status = { conditions: [], acceptedNames, storedVersions: ["v1"] };
    expect(resourcesOf({ ...definition, status })[0]?.shortNames).toEqual([]);
  });

  it("gives every version columns of its own", () => {
    const object = dial({ level: 4 });
    expect(dials.columns.map(({ name, cell }) => [name, cell(object, 0)])).toEqual([
      ["Name", "one"],
      ["Level", 4],
    ]);
    expect(old.columns.map(({ name }) => name)).toEqual(["Name", "Age"]);
  });

  it("selects by the fields the definition names", () => {
    const fields = Object.entries(dials.selectableFields);
    expect(fields.map(([name, of]) => [name, of(dial({ level: 4 }))])).toEqual([
      ["spec.mode", ""],
      ["spec.level", "4"],
    ]);
  });

  it("has the schema of metadata", () => {
    const metadata = dials.schema.properties?.["metadata"]?.properties;
    expect(metadata?.["ownerReferences"]?.["x-kubernetes-list-map-keys"]).toEqual(["uid"]);
    expect(isObject(metadata?.["labels"])).toBe(true);
  });
});

describe("a new object", () => {
  it("is pruned, and gets its defaults", () => {
    const spec = { level: 3, junk: 1, free: { x: 1 }, items: [{ name: "a" }], nul: null, mode: "auto" };
    const { object, unknown, faults } = created(dials, dial(spec, { status: { seen: 5 }, junk: 2 }));
    expect(object["spec"]).toEqual({
      free: { x: 1 },
      items: [{ name: "a", v: 7 }],
      level: 3,
      max: 10,
      mode: "auto",
      nul: null,
    });
    expect(object).not.toHaveProperty("status");
    expect(unknown.toSorted()).toEqual(["junk", "spec.junk"]);
    expect(faults).toEqual([]);
  });

  it("has its metadata decoded as that of built-in kinds", () => {
    const object = {
      ...dial({ level: 3 }),
      metadata: { name: "one", colour: "red", labels: { a: "b" } },
    } as KubeObject;
    const decoded = decodeCustom(object, dials);
    expect(decoded.unknown).toEqual(["metadata.colour"]);
    expect(decoded.object.metadata).toEqual({ name: "one", labels: { a: "b" } });
  });

  it("keeps its status if there is no status subresource", () => {
    const open = clone(definition);
    delete open.spec.versions?.[0]?.subresources;
    const [resource] = resourcesOf(open) as [Resource];
    expect(created(resource, dial({ level: 3 }, { status: { seen: 5 } })).object["status"]).toEqual({ seen: 5 });
  });

  it.each<[string, object, string[]]>([
    [
      "many faults",
      {
        level: -1,
        mode: "x",
        name: "toolong",
        items: [{ v: 1 }, { name: "a" }, { name: "a" }],
        tags: ["t", "t"],
        port: true,
      },
      [
        "spec.items[0].name: Required value",
        'spec.mode: Unsupported value: "x": supported values: "auto", "manual"',
        "spec.name: Too long: may not be more than 5 bytes",
        'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
        "spec.level: Invalid value: -1: spec.level in body should be greater than or equal to 0",
        'spec.items[2]: Duplicate value: {"name":"a"}',
        'spec.tags[1]: Duplicate value: "t"',
        NOT_CHECKED,
      ],
    ],
    ["a missing field", {}, ["spec.level: Required value", NOT_CHECKED]],
    [
      "a field of another type",
      { level: "3" },
      ['spec.level: Invalid value: "string": spec.level in body must be of type integer: "string"', NOT_CHECKED],
    ],
    ["a broken rule", { level: 50 }, ["spec: Invalid value: level over max"]],
    [
      "negative replicas",
      { level: 3, replicas: -5 },
      [".spec.replicas: Invalid value: -5: should be a non-negative integer"],
    ],
  ])("with %s is refused", (_, spec, expected) => {
    expect(created(dials, dial(spec)).faults).toEqual(expected);
  });

  it("has no note about unchecked rules if its kind has no rules", () => {
    const { faults } = created(old, { ...dial({}), apiVersion: "rec.example.com/v1alpha1" });
    expect(faults).toEqual([]);
  });
});

describe("a changed object", () => {
  const before = stored({ level: 3, mode: "auto" });

  it("must satisfy transition rules", () => {
    expect(updated(before, { spec: { level: 3, max: 10, mode: "manual" } })).toEqual([
      "spec: Invalid value: mode is immutable",
    ]);
  });

  it("is rejected for new faults, and not for old ones", () => {
    const faulty = stored({ level: 3, name: "x" }, { spec: { level: 3, max: 10, mode: "old" } });
    expect(updated(faulty, { spec: { level: 4, max: 10, mode: "old" } })).toEqual([]);
    expect(updated(faulty, { spec: { level: -4, max: 10, mode: "old" } })).toEqual([
      "spec.level: Invalid value: -4: spec.level in body should be greater than or equal to 0",
    ]);
  });

  it("is not rejected by a new rule for unchanged fields", () => {
    const excessive = stored({ level: 3 }, { spec: { level: 50, max: 10 } });
    expect(updated(excessive, { extra: true })).toEqual([]);
    expect(updated(excessive, { spec: { level: 51, max: 10 } })).toEqual(["spec: Invalid value: level over max"]);
  });

  it("may keep old duplicates", () => {
    const spec = { level: 3, max: 10, tags: ["t", "t"] };
    expect(updated(stored({ level: 3 }, { spec }), { spec: { ...spec, level: 4 } })).toEqual([]);
    expect(updated(before, { spec: { ...spec, mode: "auto" } })).toEqual(['spec.tags[1]: Duplicate value: "t"']);
  });
});

describe("a changed status", () => {
  const status = dials.subresources["status"] as Extract<Subresource, { type: "status" }>;
  const before = stored({ level: 3 });

  it.each<[string, object, string[]]>([
    ["a good one", { seen: 5 }, []],
    [
      "one of another type",
      { seen: "x" },
      ['status.seen: Invalid value: "string": seen in body must be of type integer: "string"', NOT_CHECKED],
    ],
    [
      "one with negative replicas",
      { replicas: -1 },
      [".status.replicas: Invalid value: -1: should be a non-negative integer"],
    ],
  ])("%s", (_, given, expected) => {
    expect(shown(status.validateUpdate?.({ ...clone(before), status: given }, before))).toEqual(expected);
  });
});

describe("an embedded object", () => {
  it("has the metadata of built-in kinds", () => {
    const emb: Schema = {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    };
    const raw = { apiVersion: "a/v1", kind: "A", metadata: {}, emb: { metadata: { name: "n", odd: 1 }, odd: 1 } };
    const { object, unknown } = decodeCustom(raw, { schema: { type: "object", properties: { emb } } });
    expect(object.emb).toEqual({ metadata: { name: "n" }, odd: 1 });
    expect(unknown).toEqual(["emb.metadata.odd"]);
  });
});
