import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject } from "../../../language/object/meta.ts";
import { SmallServer, type Body } from "../testing/small-server.ts";
import { widgetDefinition } from "../testing/widget-definition.ts";

let server: SmallServer;
const one = { namespace: "a", name: "one" };
const definition = { name: "widgets.x.io" };

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespaces("a");
  server.startHousekeeping();
  await server.create("customresourcedefinitions", widgetDefinition({ subresources: { status: {} } }));
  await server.create("widgets", { metadata: { ...one }, spec: { size: 1 } });
});

const live = (): KubeObject & Body => server.get("widgets", one);
const versions = (...names: string[]) =>
  server.patch("customresourcedefinitions", definition, {
    spec: widgetDefinition({ versions: names.map((name) => ({ name })), subresources: { status: {} } }).spec,
  });

describe("an update that changes nothing", () => {
  it("keeps the version and causes no event", async () => {
    const before = live();
    const { revision } = server.store;
    await server.clock.advance(5000);
    expect(await server.update("widgets", before)).toEqual(before);
    expect(await server.patch("widgets", one, { spec: { size: 1 } })).toEqual(before);
    expect(server.store.revision).toBe(revision);
  });

  it("is written if the object was stored with an older schema", async () => {
    const color = { type: "string", default: "red" } as const;
    const changed = widgetDefinition({ versions: [{ name: "v1", spec: { size: { type: "integer" }, color } }] });
    await server.patch("customresourcedefinitions", definition, { spec: changed.spec });
    const before = live();
    expect(before.spec).toEqual({ size: 1, color: "red" });
    const after = await server.update("widgets", before);
    expect(Number(after.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
    expect(after.metadata.generation).toBe(1);
    expect(await server.update("widgets", after)).toEqual(after);
  });

  it("is written if the object is stored in an older storage version", async () => {
    await server.settled();
    const v2First = widgetDefinition({ versions: [{ name: "v2" }, { name: "v1" }], subresources: { status: {} } });
    await server.patch("customresourcedefinitions", definition, { spec: v2First.spec });
    const stored = (): string => String(server.store.get("widgets.x.io", "a/one")?.bytes);
    expect(stored()).toContain('"x.io/v1"');
    await server.update("widgets/v1", server.get("widgets/v1", one));
    expect(stored()).toMatch(/^\{"kind":"Widget","apiVersion":"x.io\/v2"/);
  });
});

describe("generation", () => {
  const changes: [string, string, object, number][] = [
    ["counts a change of the spec", "", { spec: { size: 2 } }, 2],
    ["does not count a label", "", { metadata: { labels: { a: "b" } } }, 1],
    ["does not count a status", "status", { status: { ok: true } }, 1],
    ["is not for clients to set", "", { metadata: { generation: 9 } }, 1],
  ];
  it.each(changes)("%s", async (_, subresource, change, generation) => {
    const { metadata } = await server.patch("widgets", { ...one, subresource }, change);
    expect(metadata.generation).toBe(generation);
  });

  it("counts a change of status if that is not a subresource", async () => {
    await server.patch("customresourcedefinitions", definition, { spec: widgetDefinition().spec });
    const { metadata } = await server.patch("widgets", one, { status: { ok: true } });
    expect(metadata.generation).toBe(2);
  });
});

describe("status and the rest", () => {
  it("are written through separate endpoints", async () => {
    await server.patch("widgets", { ...one, subresource: "status" }, { status: { ok: true }, spec: { size: 9 } });
    expect(live()).toMatchObject({ spec: { size: 1 }, status: { ok: true } });
    await server.patch("widgets", one, { status: { ok: false }, spec: { size: 2 } });
    expect(live()).toMatchObject({ spec: { size: 2 }, status: { ok: true } });
    const { status: _, ...bare } = live();
    await server.update("widgets", bare);
    expect(live().status).toEqual({ ok: true });
  });

  it("of a custom kind do not change metadata, those of a built-in kind do", async () => {
    const labels = { metadata: { labels: { from: "status" } } };
    await server.patch("widgets", { ...one, subresource: "status" }, labels);
    expect(live().metadata.labels).toBeUndefined();
    await server.create("nodes", { metadata: { name: "n" } });
    await server.patch("nodes", { name: "n", subresource: "status" }, labels);
    expect(server.get("nodes", { name: "n" }).metadata.labels).toMatchObject({ from: "status" });
  });
});

describe("an update", () => {
  it("of an old version is a conflict", async () => {
    const stale = live();
    await server.patch("widgets", one, { spec: { size: 2 } });
    await expect(server.update("widgets", { ...stale, spec: { size: 3 } })).rejects.toMatchObject({ code: 409 });
    expect(live().spec).toEqual({ size: 2 });
  });

  it("conflicts with an uncommitted write", async () => {
    const base = live();
    const outcomes = await Promise.allSettled(
      [2, 3].map((size) => server.update("widgets", { ...base, spec: { size } })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(live().spec).toEqual({ size: 2 });
  });

  it("by patch is based on an uncommitted write", async () => {
    await Promise.all([
      server.patch("widgets", one, { metadata: { labels: { a: "1" } } }),
      server.patch("widgets", one, { metadata: { labels: { b: "2" } } }),
    ]);
    expect(live().metadata.labels).toEqual({ a: "1", b: "2" });
  });

  it("leaves no trace of a dry run", async () => {
    const { revision } = server.store;
    const shown = await server.patch("widgets", { ...one, query: { dryRun: "All" } }, { spec: { size: 5 } });
    expect(shown).toMatchObject({ spec: { size: 5 }, metadata: { generation: 2 } });
    expect([live().spec, server.store.revision]).toEqual([{ size: 1 }, revision]);
  });

  it("of a missing object is refused", async () => {
    const body = { metadata: { name: "none", namespace: "a", resourceVersion: "1" } };
    await expect(server.update("widgets", body)).rejects.toMatchObject({ code: 404 });
    await expect(server.patch("widgets", { namespace: "a", name: "none" }, {})).rejects.toMatchObject({ code: 404 });
  });

  it("with another name than the URL is refused", async () => {
    await expect(server.update("widgets", live(), { name: "two" })).rejects.toMatchObject({ code: 400 });
  });

  it("through another version changes the same object", async () => {
    await versions("v1", "v2");
    const shown = await server.patch("widgets/v2", one, { spec: { size: 7 } });
    expect(shown.apiVersion).toBe("x.io/v2");
    expect(server.get("widgets/v1", one)).toMatchObject({ apiVersion: "x.io/v1", spec: { size: 7 } });
  });
});
