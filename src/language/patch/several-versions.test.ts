import { describe, expect, it } from "vitest";
import type { KubeObject, ManagedFieldsEntry } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { applyConfiguration, type ApplyResult } from "./apply-configuration.ts";
import { type OtherVersions, updateManagedFields } from "./managed-fields.ts";

/** v1 names a size and parts; v2 keeps the size in dimensions, and knows no color. */
const item = { type: "object", properties: { name: { type: "string" }, size: { type: "integer" } } } as const;
const parts: Schema = {
  type: "array",
  items: item,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
};
const schemaOf = (spec: Record<string, Schema>): Schema => ({
  type: "object",
  properties: { spec: { type: "object", properties: spec } },
});
const schemas: Record<string, Schema> = {
  "x.io/v1": schemaOf({ size: { type: "integer" }, color: { type: "string" }, parts }),
  "x.io/v2": schemaOf({ dimensions: { type: "object", properties: { size: { type: "integer" } } }, parts }),
};

interface Spec {
  size?: number;
  color?: string;
  dimensions?: { size?: number };
  parts?: object[];
}
const versions: OtherVersions = {
  schemaOf: (apiVersion) => (Object.hasOwn(schemas, apiVersion) ? schemas[apiVersion] : undefined),
  convert: (object, apiVersion) => {
    if (object.apiVersion === apiVersion) return object;
    const { size, color: _, dimensions, ...rest } = (object.spec ?? {}) as Spec;
    const known = size ?? dimensions?.size;
    const own = apiVersion === "x.io/v1" ? { size: known } : { dimensions: { size: known } };
    return { ...object, apiVersion, spec: { ...rest, ...(known === undefined ? {} : own) } };
  },
};

const widget = (apiVersion: string, spec: Spec, managedFields?: ManagedFieldsEntry[]): KubeObject => ({
  apiVersion,
  kind: "Widget",
  metadata: { name: "w", ...(managedFields ? { managedFields } : {}) },
  spec,
});
const owner = (
  manager: string,
  apiVersion: string,
  spec: object,
  operation: "Apply" | "Update",
): ManagedFieldsEntry => ({
  manager,
  operation,
  apiVersion,
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": spec },
});
const shown = (entries: readonly ManagedFieldsEntry[] | undefined): string[] =>
  (entries ?? [])
    .map(({ manager, apiVersion, fieldsV1 }) => `${manager} ${apiVersion} ${JSON.stringify(fieldsV1)}`)
    .toSorted();

describe("an update in another version", () => {
  const update = (before: KubeObject, after: KubeObject): string[] =>
    shown(
      updateManagedFields({
        before,
        after,
        schema: schemas[after.apiVersion] as Schema,
        manager: "me",
        apiVersion: after.apiVersion,
        subresource: "",
        time: "2026-01-01T00:00:00Z",
        versions,
      }),
    );

  it("removes changed fields from owners in the version of each", () => {
    const before = widget("x.io/v2", { dimensions: { size: 1 } }, [
      owner("other", "x.io/v1", { "f:size": {}, "f:color": {} }, "Update"),
    ]);
    expect(update(before, widget("x.io/v2", { dimensions: { size: 2 } }))).toEqual([
      'me x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}',
      'other x.io/v1 {"f:spec":{"f:color":{}}}',
    ]);
  });

  it("removes no field that is unchanged, in whatever version it is written", () => {
    const before = widget("x.io/v2", { dimensions: { size: 1 }, parts: [] }, [
      owner("other", "x.io/v1", { "f:size": {} }, "Update"),
    ]);
    expect(update(before, widget("x.io/v2", { dimensions: { size: 1 }, parts: [{ name: "a" }] }))).toContain(
      'other x.io/v1 {"f:spec":{"f:size":{}}}',
    );
  });

  it("drops owners in a version that no longer exists", () => {
    const before = widget("x.io/v2", { dimensions: { size: 1 } }, [
      owner("ancient", "x.io/v0", { "f:size": {} }, "Update"),
    ]);
    expect(update(before, widget("x.io/v2", { dimensions: { size: 2 } }))).toEqual([
      'me x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}',
    ]);
  });
});

describe("an apply in another version", () => {
  const apply = (live: KubeObject, config: KubeObject, { force = false, manager = "me" } = {}): ApplyResult =>
    applyConfiguration({
      live,
      config,
      schema: schemas[config.apiVersion] as Schema,
      manager,
      force,
      apiVersion: config.apiVersion,
      subresource: "",
      time: "2026-01-01T00:00:00Z",
      versions,
    });
  const applied = (result: ApplyResult): { spec: unknown; owners: string[] } =>
    result.type === "applied"
      ? { spec: result.object.spec, owners: shown(result.object.metadata.managedFields) }
      : expect.fail("there is a conflict");

  it("reports conflicts in the version of the owner", () => {
    const live = widget("x.io/v2", { dimensions: { size: 1 } }, [
      owner("other", "x.io/v1", { "f:size": {} }, "Update"),
    ]);
    const config = widget("x.io/v2", { dimensions: { size: 2 } });
    expect(apply(live, config)).toEqual({
      type: "conflict",
      conflicts: [{ manager: "other", detail: " using x.io/v1", field: ".spec.size" }],
    });
    expect(applied(apply(live, config, { force: true }))).toEqual({
      spec: { dimensions: { size: 2 } },
      owners: ['me x.io/v2 {"f:spec":{"f:dimensions":{"f:size":{}}}}'],
    });
  });

  it("removes fields that it applied in the other version and no longer applies", () => {
    const live = widget("x.io/v2", { dimensions: { size: 1 }, parts: [{ name: "a" }, { name: "b" }] }, [
      owner("me", "x.io/v1", { "f:size": {}, "f:parts": { 'k:{"name":"a"}': { ".": {}, "f:name": {} } } }, "Apply"),
      owner("other", "x.io/v2", { "f:parts": { 'k:{"name":"b"}': { ".": {}, "f:name": {} } } }, "Update"),
    ]);
    expect(applied(apply(live, widget("x.io/v2", { dimensions: { size: 1 } }))).spec).toEqual({
      dimensions: { size: 1 },
      parts: [{ name: "b" }],
    });
  });

  it.each([
    ["x.io/v1", { "f:size": {} }],
    ["x.io/v2", { "f:dimensions": { "f:size": {} } }],
  ])("keeps fields that another manager owns in %s", (apiVersion, fields) => {
    const live = widget("x.io/v2", { dimensions: { size: 1 } }, [
      owner("me", "x.io/v1", { "f:size": {} }, "Apply"),
      owner("other", apiVersion, fields, "Apply"),
    ]);
    const after = applied(apply(live, widget("x.io/v2", { parts: [{ name: "a" }] })));
    expect(after.spec).toEqual({ dimensions: { size: 1 }, parts: [{ name: "a" }] });
    expect(after.owners).toEqual([
      'me x.io/v2 {"f:spec":{"f:parts":{"k:{\\"name\\":\\"a\\"}":{".":{},"f:name":{}}}}}',
      `other ${apiVersion} ${JSON.stringify({ "f:spec": fields })}`,
    ]);
  });
});
