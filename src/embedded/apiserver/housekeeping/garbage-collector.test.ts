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

/** Names that are left in the namespace, marked if they are being deleted. */
async function left(): Promise<string> {
  await server.settled();
  return server
    .list("configmaps", { namespace: "a" })
    .names.map((key) => key.slice(2))
    .map((name) => (meta(name).deletionTimestamp ? `${name}!` : name))
    .join(" ");
}

describe("background deletion", () => {
  it("takes dependents, and theirs, and nobody else's", async () => {
    const owner = await make("owner");
    const child = await make("child", [ref(owner)]);
    await make("grandchild", [ref(child)]);
    await make("other");
    expect(await left()).toBe("child grandchild other owner");
    await erase("owner", "Background");
    expect(await left()).toBe("other");
  });

  it("leaves a dependent to the owner that is left, and takes it with the last", async () => {
    const [one, two] = [await make("one"), await make("two")];
    await make("child", [ref(one), ref(two)]);
    await erase("one", "Background");
    expect(await left()).toBe("child two");
    expect(meta("child").ownerReferences).toEqual([ref(two)]);
    await erase("two", "Background");
    expect(await left()).toBe("");
  });

  it("marks a dependent that a finalizer holds", async () => {
    const owner = await make("owner");
    await make("child", [ref(owner)], { finalizers: ["x.io/hold"] });
    await erase("owner", "Background");
    expect(await left()).toBe("child!");
    await release("child");
    expect(await left()).toBe("");
  });

  it("gives pods on a node their time, and none to others", async () => {
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

  it("crosses kinds, also into namespaces from outside", async () => {
    await server.create("customresourcedefinitions", widgetDefinition({ scope: "Cluster" }));
    const owner = await server.create("widgets", { metadata: { name: "w" } });
    await make("child", [ref(owner)]);
    await server.create("secrets", { metadata: { name: "s", namespace: "b", ownerReferences: [ref(owner)] } });
    await server.delete("widgets", { name: "w" });
    expect(await left()).toBe("");
    expect(server.list("secrets").names).toEqual([]);
  });

  it("follows owners that go together with their kind", async () => {
    await server.create("customresourcedefinitions", widgetDefinition());
    const owner = await server.create("widgets", { metadata: { name: "w", namespace: "a" } });
    for (let i = 0; i < 250; i++) void make(`child-${i}`, [ref(owner)]);
    await server.settled();
    await server.delete("customresourcedefinitions", { name: "widgets.x.io" });
    expect(await left()).toBe("");
    expect(server.serves("widgets")).toBe(false);
  });

  it("is not done for a dry run", async () => {
    const owner = await make("owner");
    await make("child", [ref(owner)]);
    for (const policy of ["Background", "Foreground", "Orphan"]) await erase("owner", policy, { dryRun: ["All"] });
    expect(await left()).toBe("child owner");
    expect(meta("child").ownerReferences).toEqual([ref(owner)]);
  });

  it("lets requests in while thousands go", async () => {
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

  it("because it is in another namespace, is as good as gone", async () => {
    const owner = await make("owner");
    await server.create("configmaps", { metadata: { name: "child", namespace: "b", ownerReferences: [ref(owner)] } });
    await server.settled();
    expect(server.list("configmaps").names).toEqual(["a/owner"]);
  });

  it("is not looked for while its kind is not served", async () => {
    const reference = { apiVersion: "x.io/v1", kind: "Widget", name: "w", uid: "0-0" };
    await make("child", [reference]);
    await make("unversioned", [{ ...reference, apiVersion: "x.io/v9" }]);
    expect(await left()).toBe("child unversioned");
    await server.create("customresourcedefinitions", widgetDefinition());
    expect(await left()).toBe("unversioned");
  });

  it("is of no concern to what is in no namespace, if it would be in one", async () => {
    const owner = await make("owner");
    await server.create("namespaces", { metadata: { name: "c", ownerReferences: [blocking(owner)] } });
    await server.settled();
    await erase("owner", "Foreground");
    expect(await left()).toBe("");
    expect(server.exists("namespaces", { name: "c" })).toBe(true);
  });
});

describe("foreground deletion", () => {
  it("lets the owner go after what blocks it, and only that", async () => {
    const owner = await make("owner");
    await make("blocks", [blocking(owner)], { finalizers: ["x.io/hold"] });
    await make("free", [ref(owner)], { finalizers: ["x.io/hold"] });
    await make("simple", [blocking(owner)]);
    await erase("owner", "Foreground");
    expect(await left()).toBe("blocks! free! owner!");
    await release("blocks");
    expect(await left()).toBe("free!");
  });

  it("goes down to the last generation first", async () => {
    const owner = await make("owner");
    const child = await make("child", [blocking(owner)]);
    await make("grandchild", [blocking(child)], { finalizers: ["x.io/hold"] });
    await erase("owner", "Foreground");
    expect(await left()).toBe("child! grandchild! owner!");
    await release("grandchild");
    expect(await left()).toBe("");
  });

  it("does not wait for a dependent that another owner keeps", async () => {
    const [one, two] = [await make("one"), await make("two")];
    await make("child", [blocking(one), ref(two)]);
    await erase("one", "Foreground");
    expect(await left()).toBe("child two");
    expect(meta("child").ownerReferences).toEqual([ref(two)]);
  });

  it("takes dependents that block nothing before other finalizers let the owner go", async () => {
    const owner = await make("owner", [], { finalizers: ["x.io/hold"] });
    await make("child", [ref(owner)]);
    await erase("owner", "Foreground");
    expect(await left()).toBe("owner!");
    expect(meta("owner").finalizers).toEqual(["x.io/hold"]);
  });

  it("is not held up by a dependent that changes its mind", async () => {
    const owner = await make("owner");
    await make("child", [blocking(owner)], { finalizers: ["x.io/hold"] });
    await erase("owner", "Foreground");
    expect(await left()).toBe("child! owner!");
    await own("child", ref(owner, { blockOwnerDeletion: false }));
    expect(await left()).toBe("child!");
  });
});

describe("orphaning deletion", () => {
  it("takes the references away and lets the owner go", async () => {
    const [owner, other] = [await make("owner"), await make("other")];
    await make("child", [ref(owner)]);
    await make("shared", [ref(other), blocking(owner)]);
    await erase("owner", "Orphan");
    expect(await left()).toBe("child other shared");
    expect(meta("child").ownerReferences).toBeUndefined();
    expect(meta("shared").ownerReferences).toEqual([ref(other)]);
  });

  it("may be asked for while dependents are waited for", async () => {
    const owner = await make("owner");
    await make("held", [blocking(owner)], { finalizers: ["x.io/hold"] });
    await erase("owner", "Foreground");
    expect(await left()).toBe("held! owner!");
    await erase("owner", "Orphan");
    expect(await left()).toBe("held!");
    expect(meta("held").ownerReferences).toBeUndefined();
  });

  it("orphans thousands, a few at a time", async () => {
    const owner = await make("owner");
    await Promise.all(Array.from({ length: 500 }, (_, i) => make(`child-${i}`, [ref(owner)])));
    await erase("owner", "Orphan");
    expect((await left()).split(" ")).toHaveLength(500);
  });
});

describe("owners in a circle", () => {
  it.each(["Background", "Foreground"])("all go with one of them, deleted in the %s", async (policy) => {
    const c = await make("c");
    const b = await make("b", [blocking(c)]);
    const a = await make("a", [blocking(b)]);
    await own("c", blocking(a));
    expect(await left()).toBe("a b c");
    await erase("b", policy);
    expect(await left()).toBe("");
  });

  it("go when all of them are deleted at once, each to wait for the others", async () => {
    const a = await make("a");
    await own("a", blocking(await make("b", [blocking(a)])));
    await Promise.all([erase("a", "Foreground"), erase("b", "Foreground")]);
    expect(await left()).toBe("");
  });

  it.each(["Background", "Foreground", "Orphan"])("of one can be deleted in the %s", async (policy) => {
    await own("self", blocking(await make("self")));
    await erase("self", policy);
    expect(await left()).toBe("");
  });
});

it.each(["Background", "Foreground", "Orphan"])("a %s deletion that a crash broke off goes on", async (policy) => {
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

it("nothing is collected once it has been stopped, or if it never ran", async () => {
  server = new SmallServer();
  await server.createNamespaces("a");
  collect()();
  const owner = await make("owner");
  await make("child", [ref(owner)]);
  await erase("owner", "Foreground");
  expect(await left()).toBe("child owner!");
});
