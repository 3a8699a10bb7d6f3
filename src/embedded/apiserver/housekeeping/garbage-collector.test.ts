import { beforeEach, describe, expect, it } from "vitest";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../../language/object/meta.ts";
import { noLog } from "../../../cluster/runtime/log/log.ts";
import { CopyingBackend } from "../testing/copying-backend.ts";
import { SmallServer } from "../testing/small-server.ts";
import { widgetDefinition } from "../testing/widget-definition.ts";
import { GarbageCollector } from "./garbage-collector.ts";

let backend: CopyingBackend;
let server: SmallServer;

beforeEach(async () => {
  backend = new CopyingBackend();
  server = new SmallServer({ backend });
  await server.createNamespacesForPods("a", "b");
  server.startHousekeeping();
  collect();
});

function collect(): () => void {
  return new GarbageCollector(server.services, noLog).start();
}

const ref = (owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: owner.apiVersion,
  kind: owner.kind,
  name: owner.metadata.name ?? "",
  uid: owner.metadata.uid ?? "",
  ...more,
});
const blocking = (owner: KubeObject) => ref(owner, { blockOwnerDeletion: true });
const make = (name: string, ownerReferences: OwnerReference[] = [], metadata: ObjectMeta = {}) =>
  server.create("configmaps", { metadata: { name, namespace: "a", ownerReferences, ...metadata } });
const at = (name: string) => ({ namespace: "a", name });
const meta = (name: string) => server.get("configmaps", at(name)).metadata;
const own = (name: string, ...ownerReferences: OwnerReference[]) =>
  server.patch("configmaps", at(name), { metadata: { ownerReferences } });
const release = (name: string) => server.patch("configmaps", at(name), { metadata: { finalizers: null } });
const erase = (name: string, propagationPolicy: string, more = {}) =>
  server.delete("configmaps", at(name), { propagationPolicy, ...more });

/** The remaining names in the namespace, marked if they are being deleted. */
async function left(): Promise<string> {
  await server.settled();
  return server
    .list("configmaps", { namespace: "a" })
    .names.map((key) => key.slice(2))
    .map((name) => (meta(name).deletionTimestamp ? `${name}!` : name))
    .join(" ");
}

describe("background deletion", () => {
  it("deletes dependents transitively, and nothing else", async () => {
    const owner = await make("owner");
    const child = await make("child", [ref(owner)]);
    await make("grandchild", [ref(child)]);
    await make("other");
    expect(await left()).toBe("child grandchild other owner");
    await erase("owner", "Background");
    expect(await left()).toBe("other");
  });

  it("keeps a dependent of another owner until the last owner is deleted", async () => {
    const [one, two] = [await make("one"), await make("two")];
    await make("child", [ref(one), ref(two)]);
    await erase("one", "Background");
    expect(await left()).toBe("child two");
    expect(meta("child").ownerReferences).toEqual([ref(two)]);
    await erase("two", "Background");
    expect(await left()).toBe("");
  });

  it("marks a dependent with finalizers", async () => {
    const owner = await make("owner");
    await make("child", [ref(owner)], { finalizers: ["x.io/hold"] });
    await erase("owner", "Background");
    expect(await left()).toBe("child!");
    await release("child");
    expect(await left()).toBe("");
  });

  it("gives pods on a node their grace period, and none to others", async () => {
    const owner = await make("owner");
    const pod = (name: string, spec: object) =>
      server.create("pods", {
        metadata: { name, namespace: "a", ownerReferences: [ref(owner)] },
        spec: { ...spec, containers: [{ name: "c", image: "i" }] },
      });
    await pod("placed", { nodeName: "n" });
    await pod("pending", {});
    await erase("owner", "Background");
    await server.settled();
    expect(server.list("pods").names).toEqual(["a/placed"]);
    expect(server.get("pods", at("placed")).metadata.deletionGracePeriodSeconds).toBe(30);
  });

  it("crosses kinds, also from cluster-scoped to namespaced", async () => {
    await server.create("customresourcedefinitions", widgetDefinition({ scope: "Cluster" }));
    const owner = await server.create("widgets", { metadata: { name: "w" } });
    await make("child", [ref(owner)]);
    await server.create("secrets", { metadata: { name: "s", namespace: "b", ownerReferences: [ref(owner)] } });
    await server.delete("widgets", { name: "w" });
    expect(await left()).toBe("");
    expect(server.list("secrets").names).toEqual([]);
  });

  it("follows owners that are deleted with their definition", async () => {
    await server.create("customresourcedefinitions", widgetDefinition());
    const owner = await server.create("widgets", { metadata: { name: "w", namespace: "a" } });
    for (let i = 0; i < 250; i++) void make(`child-${i}`, [ref(owner)]);
    await server.settled();
    await server.delete("customresourcedefinitions", { name: "widgets.x.io" });
    expect(await left()).toBe("");
    expect(server.serves("widgets")).toBe(false);
  });

  it("does not happen in a dry run", async () => {
    const owner = await make("owner");
    await make("child", [ref(owner)]);
    for (const policy of ["Background", "Foreground", "Orphan"]) await erase("owner", policy, { dryRun: ["All"] });
    expect(await left()).toBe("child owner");
    expect(meta("child").ownerReferences).toEqual([ref(owner)]);
  });

  it("does not hold up requests while it deletes thousands", async () => {
    const owner = await make("owner");
    await Promise.all(Array.from({ length: 2000 }, (_, i) => make(`child-${i}`, [ref(owner)])));
    await server.settled();
    let largest = 0;
    backend.onCommit = (rows) => {
      largest = Math.max(largest, rows.length);
    };
    await erase("owner", "Background");
    expect(await left()).toBe("");
    expect(largest).toBeLessThanOrEqual(100);
  });
});

describe("an owner that is not there", () => {
  it.each<[string, (owner: KubeObject) => OwnerReference]>([
    ["has another uid", (owner) => ref(owner, { uid: "0-0" })],
    ["has another name", (owner) => ref(owner, { name: "none" })],
    ["is of another kind", (owner) => ref(owner, { kind: "Secret" })],
  ])("because it %s, is as good as gone", async (_, reference) => {
    await make("child", [reference(await make("owner"))]);
    expect(await left()).toBe("owner");
  });

  it("in another namespace counts as gone", async () => {
    const owner = await make("owner");
    await server.create("configmaps", { metadata: { name: "child", namespace: "b", ownerReferences: [ref(owner)] } });
    await server.settled();
    expect(server.list("configmaps").names).toEqual(["a/owner"]);
  });

  it("is unknown while its kind is not served", async () => {
    const reference = { apiVersion: "x.io/v1", kind: "Widget", name: "w", uid: "0-0" };
    await make("child", [reference]);
    await make("unversioned", [{ ...reference, apiVersion: "x.io/v9" }]);
    expect(await left()).toBe("child unversioned");
    await server.create("customresourcedefinitions", widgetDefinition());
    expect(await left()).toBe("unversioned");
  });

  it("does not matter for a cluster-scoped dependent if it is namespaced", async () => {
    const owner = await make("owner");
    await server.create("namespaces", { metadata: { name: "c", ownerReferences: [blocking(owner)] } });
    await server.settled();
    await erase("owner", "Foreground");
    expect(await left()).toBe("");
    expect(server.exists("namespaces", { name: "c" })).toBe(true);
  });
});

describe("foreground deletion", () => {
  it("removes the owner after its blocking dependents, and only those", async () => {
    const owner = await make("owner");
    await make("blocks", [blocking(owner)], { finalizers: ["x.io/hold"] });
    await make("free", [ref(owner)], { finalizers: ["x.io/hold"] });
    await make("simple", [blocking(owner)]);
    await erase("owner", "Foreground");
    expect(await left()).toBe("blocks! free! owner!");
    await release("blocks");
    expect(await left()).toBe("free!");
  });

  it("deletes the last generation first", async () => {
    const owner = await make("owner");
    const child = await make("child", [blocking(owner)]);
    await make("grandchild", [blocking(child)], { finalizers: ["x.io/hold"] });
    await erase("owner", "Foreground");
    expect(await left()).toBe("child! grandchild! owner!");
    await release("grandchild");
    expect(await left()).toBe("");
  });

  it("does not wait for a dependent of another owner", async () => {
    const [one, two] = [await make("one"), await make("two")];
    await make("child", [blocking(one), ref(two)]);
    await erase("one", "Foreground");
    expect(await left()).toBe("child two");
    expect(meta("child").ownerReferences).toEqual([ref(two)]);
  });

  it("deletes non-blocking dependents before other finalizers release the owner", async () => {
    const owner = await make("owner", [], { finalizers: ["x.io/hold"] });
    await make("child", [ref(owner)]);
    await erase("owner", "Foreground");
    expect(await left()).toBe("owner!");
    expect(meta("owner").finalizers).toEqual(["x.io/hold"]);
  });

  it("is not blocked by a dependent that drops its reference", async () => {
    const owner = await make("owner");
    await make("child", [blocking(owner)], { finalizers: ["x.io/hold"] });
    await erase("owner", "Foreground");
    expect(await left()).toBe("child! owner!");
    await own("child", ref(owner, { blockOwnerDeletion: false }));
    expect(await left()).toBe("child!");
  });
});

describe("orphaning deletion", () => {
  it("removes the references and then the owner", async () => {
    const [owner, other] = [await make("owner"), await make("other")];
    await make("child", [ref(owner)]);
    await make("shared", [ref(other), blocking(owner)]);
    await erase("owner", "Orphan");
    expect(await left()).toBe("child other shared");
    expect(meta("child").ownerReferences).toBeUndefined();
    expect(meta("shared").ownerReferences).toEqual([ref(other)]);
  });

  it("can replace a foreground deletion", async () => {
    const owner = await make("owner");
    await make("held", [blocking(owner)], { finalizers: ["x.io/hold"] });
    await erase("owner", "Foreground");
    expect(await left()).toBe("held! owner!");
    await erase("owner", "Orphan");
    expect(await left()).toBe("held!");
    expect(meta("held").ownerReferences).toBeUndefined();
  });

  it("orphans thousands in batches", async () => {
    const owner = await make("owner");
    await Promise.all(Array.from({ length: 500 }, (_, i) => make(`child-${i}`, [ref(owner)])));
    await erase("owner", "Orphan");
    expect((await left()).split(" ")).toHaveLength(500);
  });
});

describe("owners in a circle", () => {
  it.each(["Background", "Foreground"])("are all deleted with one of them, propagation %s", async (policy) => {
    const c = await make("c");
    const b = await make("b", [blocking(c)]);
    const a = await make("a", [blocking(b)]);
    await own("c", blocking(a));
    expect(await left()).toBe("a b c");
    await erase("b", policy);
    expect(await left()).toBe("");
  });

  it("are deleted when all of them are deleted in the foreground at once", async () => {
    const a = await make("a");
    await own("a", blocking(await make("b", [blocking(a)])));
    await Promise.all([erase("a", "Foreground"), erase("b", "Foreground")]);
    expect(await left()).toBe("");
  });

  it.each(["Background", "Foreground", "Orphan"])(
    "that own themselves can be deleted, propagation %s",
    async (policy) => {
      await own("self", blocking(await make("self")));
      await erase("self", policy);
      expect(await left()).toBe("");
    },
  );
});

it.each(["Background", "Foreground", "Orphan"])("a %s deletion continues after a crash", async (policy) => {
  const owner = await make("owner");
  await Promise.all(Array.from({ length: 150 }, (_, i) => make(`child-${i}`, [blocking(owner)])));
  await server.settled();
  let commits = 0;
  backend.onCommit = () => {
    if (++commits === 2) backend.stop();
  };
  await erase("owner", policy);
  await server.settled();

  server = new SmallServer({ backend: backend.reopened() });
  server.startHousekeeping();
  collect();
  const names = await left();
  expect(names.split(" ").filter((name) => name !== "")).toHaveLength(policy === "Orphan" ? 150 : 0);
  expect(names).not.toContain("owner");
});

it("nothing is collected after it was stopped, or if it never ran", async () => {
  server = new SmallServer();
  await server.createNamespaces("a");
  collect()();
  const owner = await make("owner");
  await make("child", [ref(owner)]);
  await erase("owner", "Foreground");
  expect(await left()).toBe("child owner!");
});
