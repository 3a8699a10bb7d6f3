import { beforeEach, describe, expect, it } from "vitest";
import { SmallServer, type Body } from "../testing/small-server.ts";

let server: SmallServer;
const map = { namespace: "a", name: "m" };
const pod = { namespace: "a", name: "p" };

beforeEach(async () => {
  server = new SmallServer();
  await server.createNamespacesForPods("a", "b");
});

const put = (metadata: Body["metadata"] = {}) => server.create("configmaps", { metadata: { ...map, ...metadata } });
const run = (spec: object = {}) =>
  server.create("pods", {
    metadata: { ...pod },
    spec: { nodeName: "n", terminationGracePeriodSeconds: 30, containers: [{ name: "c", image: "i" }], ...spec },
  });

describe("a deletion", () => {
  it("returns a Status about the deleted object", async () => {
    const { metadata } = await put();
    expect(await server.delete("configmaps", map)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: "m", kind: "configmaps", uid: metadata.uid },
    });
    expect(server.exists("configmaps", map)).toBe(false);
    await expect(server.delete("configmaps", map)).rejects.toMatchObject({ code: 404 });
  });

  it("of a job without propagationPolicy orphans its pods with a warning", async () => {
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    const job = { namespace: "a", name: "j" };
    await server.create("jobs", { metadata: { ...job }, spec: { template } });
    expect((await server.delete("jobs", job)).metadata.finalizers).toEqual(["orphan"]);
    expect(server.warnings).toEqual([expect.stringContaining("child pods are preserved by default")]);
    await server.delete("jobs", job, { propagationPolicy: "Background" });
    expect(server.exists("jobs", job)).toBe(false);
    expect(server.warnings).toEqual([]);
  });

  it("leaves no trace of a dry run", async () => {
    await put();
    await server.delete("configmaps", { ...map, query: { dryRun: "All" } });
    await server.delete("configmaps", map, { dryRun: ["All"] });
    expect(server.exists("configmaps", map)).toBe(true);
  });

  it("of an object with finalizers marks it; removing the last finalizer removes it", async () => {
    await put({ finalizers: ["x.io/a", "x.io/b"] });
    const marked = await server.delete("configmaps", map);
    expect(marked.metadata).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
      finalizers: ["x.io/a", "x.io/b"],
    });
    const { revision } = server.store;
    await server.clock.advance(60_000);
    expect(await server.delete("configmaps", map)).toEqual(marked);
    expect(server.store.revision).toBe(revision);
    await server.patch("configmaps", map, { metadata: { finalizers: ["x.io/b"] } });
    expect(server.exists("configmaps", map)).toBe(true);
    await server.patch("configmaps", map, { metadata: { finalizers: [] } });
    expect(server.exists("configmaps", map)).toBe(false);
  });

  it("does not allow new finalizers", async () => {
    await put({ finalizers: ["x.io/a"] });
    await server.delete("configmaps", map);
    const more = { metadata: { finalizers: ["x.io/a", "x.io/late"] } };
    await expect(server.patch("configmaps", map, more)).rejects.toMatchObject({ code: 422 });
  });

  it.each(["default", "kube-system", "kube-public"])("of namespace %s is refused", async (name) => {
    await server.createNamespaces(name);
    await expect(server.delete("namespaces", { name })).rejects.toMatchObject({ code: 403 });
  });
});

describe("preconditions", () => {
  it.each(["uid", "resourceVersion"])("refuse a deletion with another %s", async (field) => {
    await put();
    await expect(server.delete("configmaps", map, { preconditions: { [field]: "9" } })).rejects.toMatchObject({
      code: 409,
    });
    expect(server.exists("configmaps", map)).toBe(true);
  });

  it("allow a deletion with the current version", async () => {
    const { uid = "", resourceVersion = "" } = (await put()).metadata;
    await server.delete("configmaps", map, { preconditions: { uid, resourceVersion } });
    expect(server.exists("configmaps", map)).toBe(false);
  });
});

describe("the grace period of a pod", () => {
  const times = (seconds: number) => ({
    deletionGracePeriodSeconds: seconds,
    deletionTimestamp: new Date(Date.parse("2026-01-01T00:00:00Z") + seconds * 1000).toISOString().replace(".000", ""),
  });

  it("is the pod's own, and its kubelet ends it by a deletion with 0 seconds", async () => {
    await run();
    expect((await server.delete("pods", pod)).metadata).toMatchObject({ ...times(30), generation: 2 });
    await server.delete("pods", pod, { gracePeriodSeconds: 0 });
    expect(server.exists("pods", pod)).toBe(false);
  });

  it.each([
    [60, 60],
    [5, 5],
    [-5, 1],
  ])("may be asked for: %i is %i", async (asked, given) => {
    await run();
    expect(
      (await server.delete("pods", { ...pod, query: { gracePeriodSeconds: String(asked) } })).metadata,
    ).toMatchObject(times(given));
  });

  it("can only be shortened by a second deletion", async () => {
    await run();
    await server.delete("pods", pod, { gracePeriodSeconds: 60 });
    await server.clock.advance(3000);
    const after: [number | undefined, number][] = [
      [undefined, 60],
      [90, 60],
      [10, 10],
      [20, 10],
    ];
    for (const [asked, left] of after) {
      const { metadata } = await server.delete("pods", pod, asked === undefined ? null : { gracePeriodSeconds: asked });
      expect(metadata).toMatchObject({ ...times(left), generation: 2 });
    }
  });

  it("is 0 for a pod that is unscheduled or has ended", async () => {
    await run({ nodeName: undefined });
    await server.delete("pods", pod);
    expect(server.exists("pods", pod)).toBe(false);
    await run();
    await server.patch("pods", { ...pod, subresource: "status" }, { status: { phase: "Succeeded" } });
    await server.delete("pods", pod);
    expect(server.exists("pods", pod)).toBe(false);
  });
});

describe("options", () => {
  const refused: [object | string, number][] = [
    [{ propagationPolicy: "Sideways" }, 422],
    [{ gracePeriodSeconds: 1.5 }, 400],
    [{ gracePeriodSeconds: "x" }, 400],
    [{ preconditions: 3 }, 400],
    [{ dryRun: "All" }, 400],
    [{ orphanDependents: true, propagationPolicy: "Orphan" }, 422],
    [{ dryRun: ["Some"] }, 422],
    [{ kind: "ConfigMap" }, 400],
    ["text", 400],
  ];
  it.each(refused)("%j are refused, and nothing is deleted", async (options, code) => {
    await put();
    await expect(server.delete("configmaps", map, options as never)).rejects.toMatchObject({ code });
    expect(server.exists("configmaps", map)).toBe(true);
  });
});

describe("the deletion of a collection", () => {
  beforeEach(async () => {
    for (const name of ["one", "two", "three"])
      await server.create("configmaps", {
        metadata: { name, namespace: "a", labels: { long: String(name.length > 3) } },
      });
    await server.create("configmaps", { metadata: { name: "one", namespace: "b" } });
  });

  it("deletes what is selected in its namespace, and returns the list", async () => {
    const gone = await server.deleteCollection("configmaps", {
      namespace: "a",
      query: { labelSelector: "long=false" },
    });
    expect(gone).toEqual(["a/one", "a/two"]);
    expect(server.list("configmaps").names).toEqual(["a/three", "b/one"]);
  });

  it("marks objects with finalizers, and skips objects that are deleted concurrently", async () => {
    await server.patch("configmaps", { namespace: "a", name: "two" }, { metadata: { finalizers: ["x.io/hold"] } });
    await Promise.all([
      server.delete("configmaps", { namespace: "a", name: "one" }),
      server.deleteCollection("configmaps", { namespace: "a" }),
    ]);
    expect(server.list("configmaps", { namespace: "a" }).names).toEqual(["a/two"]);
    expect(server.get("configmaps", { namespace: "a", name: "two" }).metadata.deletionTimestamp).toBeDefined();
  });

  it("deletes one page with a limit", async () => {
    await server.deleteCollection("configmaps", { namespace: "a", query: { limit: "2" } });
    expect(server.list("configmaps", { namespace: "a" }).names).toEqual(["a/two"]);
  });
});
