import { beforeEach, describe, expect, it } from "vitest";
import type { Resource } from "../resource.ts";
import { SmallServer } from "../testing/small-server.ts";
import { widgetDefinition, type WidgetVersion } from "../testing/widget-definition.ts";
import type { Entry } from "./store.ts";

let server: SmallServer;
const one = { namespace: "a", name: "one" };
const entry = (): Entry => server.store.get("widgets.x.io", "a/one") as Entry;
const shown = (resource: Resource): string => String(server.services.views.bytes(entry(), resource));

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespaces("a");
  server.startHousekeeping();
  await server.create("customresourcedefinitions", widgetDefinition({ versions: [{ name: "v1" }, { name: "v2" }] }));
  await server.create("widgets/v1", { metadata: { ...one }, spec: { size: 1 } });
});

async function redefine(...versions: WidgetVersion[]): Promise<void> {
  const { spec } = widgetDefinition({ versions });
  await server.patch("customresourcedefinitions", { name: "widgets.x.io" }, { spec });
}

describe("a stored custom object", () => {
  it("is shown as the stored bytes after a write", () => {
    expect(server.services.views.bytes(entry(), server.resource("widgets/v1"))).toBe(entry().bytes);
  });

  it("is shown in the requested version", () => {
    expect(server.get("widgets/v2", one)).toEqual({ ...server.get("widgets/v1", one), apiVersion: "x.io/v2" });
  });

  it("is shown in another version as the same bytes each time", () => {
    const v2 = server.resource("widgets/v2");
    expect(server.services.views.bytes(entry(), v2)).toBe(server.services.views.bytes(entry(), v2));
  });

  it("shows a default that was added to the schema later", async () => {
    const before = entry();
    await redefine({ name: "v1", spec: { size: { type: "integer" }, color: { type: "string", default: "red" } } });
    expect(server.get("widgets", one).spec).toEqual({ size: 1, color: "red" });
    expect(entry()).toBe(before);
  });

  it("hides a field that was removed from the schema, and shows it again when it is back", async () => {
    await redefine({ name: "v1", spec: { other: { type: "integer" } } });
    expect(server.get("widgets", one).spec).toEqual({});
    await redefine({ name: "v1", spec: { size: { type: "integer" } } });
    expect(server.get("widgets", one).spec).toEqual({ size: 1 });
  });

  it("keeps managedFields and metadata in every version", () => {
    const { metadata } = server.get("widgets/v1", one);
    expect(server.get("widgets/v2", one).metadata).toEqual(metadata);
    expect(metadata.managedFields).toMatchObject([{ apiVersion: "x.io/v1" }]);
  });

  it("written in another version is stored in the storage version", async () => {
    await server.create("widgets/v2", { metadata: { name: "two", namespace: "a" }, spec: { size: 2 } });
    expect(String(server.store.get("widgets.x.io", "a/two")?.bytes)).toContain('"apiVersion":"x.io/v1"');
    expect(server.get("widgets/v2", { namespace: "a", name: "two" }).apiVersion).toBe("x.io/v2");
  });

  it("is not changed through a copy", () => {
    const { views } = server.services;
    const v1 = server.resource("widgets/v1");
    views.object(entry(), v1).spec = { size: 99 };
    expect(views.object(entry(), v1).spec).toEqual({ size: 1 });
    expect(shown(v1)).toContain('"size":1');
  });
});

describe("a kind with different fields per version and conversion strategy None", () => {
  const string = { type: "string" } as const;
  const first: WidgetVersion = {
    name: "v1",
    spec: { size: { type: "integer" }, old: string, color: { ...string, default: "red" } },
  };
  const second: WidgetVersion = {
    name: "v2",
    spec: { size: { type: "integer" }, fresh: string, shape: { ...string, default: "round" } },
  };
  const specIn = (version: string, name = "one"): unknown =>
    server.get(`widgets/${version}`, { namespace: "a", name }).spec;
  const storedText = (name: string): string => String(server.store.get("widgets.x.io", `a/${name}`)?.bytes);
  beforeEach(async () => {
    await redefine(first, second);
    await server.patch("widgets/v1", one, { spec: { size: 1, old: "x" } });
  });

  it("is read by its stored version, and shows the fields of the other", () => {
    expect(specIn("v1")).toEqual({ size: 1, old: "x", color: "red" });
    expect(specIn("v2")).toEqual({ size: 1 });
  });

  it("is stored with the fields of the storage version, and returned with what is left", async () => {
    const spec = { size: 2, fresh: "y" };
    const made = await server.create("widgets/v2", { metadata: { name: "two", namespace: "a" }, spec });
    expect(made.spec).toEqual({ size: 2 });
    expect(storedText("two")).toMatch(/^{"kind":"Widget","apiVersion":"x.io\/v1".*"spec":{"size":2}}$/);
    expect(specIn("v1", "two")).toEqual({ size: 2, color: "red" });
  });

  it("is read by its old storage version after that has changed", async () => {
    await redefine({ ...first, storage: false }, { ...second, storage: true });
    expect(storedText("one")).toContain('"x.io/v1"');
    expect(specIn("v1")).toEqual({ size: 1, old: "x", color: "red" });
    expect(specIn("v2")).toEqual({ size: 1 });
    await server.update("widgets/v2", server.get("widgets/v2", one));
    expect(storedText("one")).toMatch(/"apiVersion":"x.io\/v2".*"spec":{"size":1,"shape":"round"}/);
    expect(specIn("v1")).toEqual({ size: 1 });
  });

  it("keeps managedFields in the version of each manager", async () => {
    await server.patch("widgets/v2", { ...one, query: { fieldManager: "other" } }, { spec: { size: 5 } });
    const owners = server
      .get("widgets/v1", one)
      .metadata.managedFields?.map(
        ({ manager, apiVersion, fieldsV1 }) => `${manager} ${apiVersion} ${JSON.stringify(fieldsV1)}`,
      );
    expect(owners).toEqual([
      'other x.io/v2 {"f:spec":{"f:shape":{},"f:size":{}}}',
      expect.stringMatching(/^test x\.io\/v1 {"f:spec":{".":{}.*"f:old":{}/),
    ]);
    expect(owners?.[1]).not.toContain("f:size");
  });

  it("is deleted in its stored version", async () => {
    await server.patch("widgets/v1", one, { metadata: { finalizers: ["x.io/f"] } });
    expect(await server.delete("widgets/v2", one)).toMatchObject({ apiVersion: "x.io/v2", spec: { size: 1 } });
    expect(specIn("v1")).toMatchObject({ old: "x" });
  });
});

it("an object of a built-in kind is shown as stored", async () => {
  await server.create("configmaps", { metadata: { name: "m", namespace: "a" } });
  const stored = server.store.get("configmaps", "a/m") as Entry;
  expect(server.services.views.bytes(stored, server.resource("configmaps"))).toBe(stored.bytes);
});
