import { beforeEach, describe, expect, it } from "vitest";
import { SmallServer, type Target } from "../testing/small-server.ts";
import { widgetDefinition } from "../testing/widget-definition.ts";
import { patch } from "./patch.ts";

/** Behaviour of kube-apiserver that is easy to get wrong. */
let server: SmallServer;
const map: Target = { namespace: "a", name: "m" };

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespacesForPods("a");
  await server.create("configmaps", { metadata: { name: "m", namespace: "a" }, data: { k: "v" } });
});

describe("a patch", () => {
  it.each([
    ["uid", "other"],
    ["deletionTimestamp", "2020-01-01T00:00:00Z"],
  ])("may not change %s", async (field, value) => {
    await expect(server.patch("configmaps", map, { metadata: { [field]: value } })).rejects.toMatchObject({
      code: 422,
      details: { causes: [{ field: `metadata.${field}` }, { field: `metadata.${field}` }] },
    });
  });

  it.each([{ kind: "Other" }, { apiVersion: "v9" }, { metadata: "x" }])(
    "may not make %j of the object",
    async (body) => {
      await expect(server.patch("configmaps", map, body)).rejects.toMatchObject({
        code: 422,
        details: { causes: [{ field: "patch" }] },
      });
    },
  );

  it.each([null, "2020-01-01T00:00:00Z"])("may omit or change what the server sets", async (given) => {
    const { uid, creationTimestamp } = server.get("configmaps", map).metadata;
    const { metadata } = await server.patch("configmaps", map, { metadata: { uid: null, creationTimestamp: given } });
    expect(metadata).toMatchObject({ uid, creationTimestamp });
  });

  it.each([[[]], [[{}]]])("resets managedFields with %j", async (managedFields) => {
    const { metadata } = await server.patch("configmaps", map, { metadata: { managedFields } });
    expect(metadata.managedFields).toBeUndefined();
    expect(server.get("configmaps", map).metadata.managedFields).toBeUndefined();
  });

  it("that removes the last finalizer returns the version before the removal", async () => {
    await server.patch("configmaps", map, { metadata: { finalizers: ["a.b/c"] } });
    const { resourceVersion } = (await server.delete("configmaps", map)).metadata;
    const { metadata } = await server.patch("configmaps", map, { metadata: { finalizers: null } });
    expect(metadata.resourceVersion).toBe(resourceVersion);
    expect(server.exists("configmaps", map)).toBe(false);
  });
});

describe("a PUT", () => {
  it("with another uid is a conflict", async () => {
    const body = { metadata: { name: "m", namespace: "a", uid: "other" } };
    await expect(server.update("configmaps", body)).rejects.toMatchObject({ code: 409 });
  });

  it.each(["leases", "runtimeclasses"])("of %s creates without a version, and replaces only with one", async (kind) => {
    const body = { metadata: { name: "x", ...(kind === "leases" ? { namespace: "a" } : {}) }, handler: "h" };
    await server.update(kind, body);
    await expect(server.update(kind, body)).rejects.toMatchObject({
      code: 422,
      details: { causes: [{ field: "metadata.resourceVersion" }] },
    });
  });
});

describe("a deletion", () => {
  it.each([
    ["Background", []],
    ["Foreground", ["foregroundDeletion"]],
    ["Orphan", ["orphan"]],
  ])("%s replaces what was said of dependents before", async (propagationPolicy, added) => {
    await server.patch("configmaps", map, { metadata: { finalizers: ["a.b/c", "orphan"] } });
    const { metadata } = await server.delete("configmaps", map, { propagationPolicy });
    expect(metadata.finalizers).toEqual(["a.b/c", ...added]);
  });

  it("of a pod marks it first, even if it is removed at once", async () => {
    const pod = { namespace: "a", name: "p" };
    await server.create("pods", {
      metadata: { name: "p", namespace: "a" },
      spec: { containers: [{ name: "c", image: "i" }] },
    });
    const before = server.store.revision;
    const { metadata } = await server.delete("pods", pod);
    expect(metadata).toMatchObject({ generation: 2, deletionGracePeriodSeconds: 0 });
    expect(server.store.revision).toBe(before + 2);
    expect(server.exists("pods", pod)).toBe(false);
  });

  it("of a namespace sets no propagation finalizer", async () => {
    const { metadata } = await server.delete("namespaces", { name: "a" }, { propagationPolicy: "Orphan" });
    expect(metadata.finalizers).toBeUndefined();
  });
});

describe("a page", () => {
  beforeEach(async () => {
    for (const name of ["n", "o"])
      await server.create("configmaps", { metadata: { name, namespace: "a", labels: { of: name } } });
  });
  const page = (query: Record<string, string>) => server.list("configmaps", { namespace: "a", query });

  it("of a version is exactly of that version", () => {
    const { resourceVersion = "" } = server.get("configmaps", { namespace: "a", name: "n" }).metadata;
    expect(page({ limit: "1", resourceVersion })).toMatchObject({ names: ["a/m"], remaining: 1 });
    expect(page({ resourceVersion }).names).toEqual(["a/m", "a/n", "a/o"]);
  });

  it("of version 0 has everything", () => {
    expect(page({ limit: "1", resourceVersion: "0" }).names).toEqual(["a/m", "a/n", "a/o"]);
  });

  it("filled by a selector may have an empty next page", () => {
    const { continue: token = "" } = page({ limit: "1", labelSelector: "of=n" });
    expect(token).not.toBe("");
    expect(page({ labelSelector: "of=n", continue: token }).names).toEqual([]);
  });
});

describe("finalizers", () => {
  it("of leases need no domain, of config maps they do", async () => {
    const finalizers = ["plain"];
    await server.create("leases", { metadata: { name: "l", namespace: "a", finalizers } });
    await expect(server.patch("configmaps", map, { metadata: { finalizers } })).rejects.toMatchObject({ code: 422 });
  });
});

describe("a custom object", () => {
  const widget: Target = { namespace: "a", name: "w" };
  beforeEach(async () => {
    server.startHousekeeping();
    await server.create("customresourcedefinitions", widgetDefinition({ subresources: { status: {} } }));
    await server.create("widgets", { metadata: widget, spec: { size: 3 } });
  });

  it("keeps its metadata on a status write, but records the manager", async () => {
    const target = { ...widget, subresource: "status", query: { fieldManager: "st" } };
    const { metadata } = await server.patch("widgets", target, { metadata: { labels: { l: "1" } } });
    expect(metadata.labels).toBeUndefined();
    expect(metadata.managedFields?.find(({ manager }) => manager === "st")).toMatchObject({
      fieldsV1: { "f:metadata": { "f:labels": { "f:l": {} } } },
    });
  });

  it("refuses nulls in what is applied, where it would ignore them in any other write", async () => {
    const { apiVersion, kind } = server.get("widgets", widget);
    const body = JSON.stringify({ apiVersion, kind, spec: { size: null } });
    const context = server.context("widgets", { ...widget, query: { fieldManager: "m", force: "true" } });
    await expect(patch(context, body, "application/apply-patch+yaml")).rejects.toMatchObject({
      code: 422,
      details: { causes: [{ field: "spec.size" }] },
    });
  });

  it("advises against a finalizer without a domain", async () => {
    await server.patch("widgets", widget, { metadata: { finalizers: ["plain"] } });
    expect(server.warnings).toEqual([expect.stringContaining("prefer a domain-qualified finalizer name")]);
    await server.patch("widgets", widget, { metadata: { labels: { l: "1" } } });
    expect(server.warnings).toEqual([]);
  });

  it("is named in the refusal of a patch that changes its kind", async () => {
    await expect(server.patch("widgets", widget, { kind: "Other" })).rejects.toMatchObject({
      code: 422,
      details: { name: "w", kind: "Other", causes: [{ field: "kind" }] },
    });
  });
});
