import { afterEach, describe, expect, test } from "vitest";
import type { CacheEvent, Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef, Patch } from "../../cluster/kube/client.ts";
import type { Json } from "../../language/object/json.ts";
import { keyOf, type KubeObject } from "../../language/object/meta.ts";
import { applyMergePatch } from "../../language/patch/merge-patch.ts";
import { VirtualClock } from "../../cluster/runtime/testing/virtual-clock.ts";
import { apiVersion, type Profile, type Tuned } from "./api.ts";
import type { NodeFacts } from "./node-profile.ts";
import { nodeTuningController } from "./node-tuning-controller.ts";
import { profileFactsOf, projectNode, withoutReports } from "./projections.ts";

const namespace = "tuning";
const end: AbortController[] = [];
afterEach(() => end.splice(0).forEach((controller) => controller.abort()));

/** One kind on a server that accepts every write, and the informer on it. */
class Collection<T extends KubeObject> {
  readonly objects = new Map<string, T>();
  #notify: (event: CacheEvent<T>) => void = () => {};
  #version = 0;

  put(object: T): T {
    const key = keyOf(object);
    const before = this.objects.get(key);
    const generation = (before?.metadata.generation ?? 0) + (sameSpec(before, object) ? 0 : 1);
    const metadata = { ...object.metadata, uid: key, generation, resourceVersion: String(++this.#version) };
    const after = { ...object, metadata };
    this.objects.set(key, after);
    this.#notify(before ? { type: "updated", object: after, before } : { type: "added", object: after });
    return after;
  }

  delete(key: string): void {
    const object = this.objects.get(key);
    this.objects.delete(key);
    if (object) this.#notify({ type: "deleted", object });
  }

  informer(): Informer<T> {
    return {
      synced: true,
      whenSynced: async () => {},
      run: async () => {},
      get: (key) => this.objects.get(key),
      list: () => [...this.objects.values()],
      byIndex: () => [],
      subscribe: (handler) => {
        this.#notify = handler;
        for (const object of this.objects.values()) handler({ type: "added", object });
        return () => {};
      },
    };
  }
}

function sameSpec(before: KubeObject | undefined, after: KubeObject): boolean {
  return before !== undefined && JSON.stringify(before["spec"]) === JSON.stringify(after["spec"]);
}

function world(): {
  clock: VirtualClock;
  tuneds: Collection<Tuned>;
  profiles: Collection<Profile>;
  nodes: Collection<NodeFacts>;
  writes: string[];
} {
  const [tuneds, profiles, nodes] = [new Collection<Tuned>(), new Collection<Profile>(), new Collection<NodeFacts>()];
  const others = new Map([
    ["DaemonSet", new Collection()],
    ["ConfigMap", new Collection()],
  ]);
  const writes: string[] = [];
  const collection = (of: KindRef): Collection<KubeObject> =>
    others.get(of.kind) ?? ((of.kind === "Tuned" ? tuneds : profiles) as unknown as Collection<KubeObject>);
  const client = {
    async create(of: KindRef, object: KubeObject) {
      writes.push(`create ${of.kind} ${object.metadata.name}`);
      return collection(of).put(object);
    },
    async update(of: KindRef, object: KubeObject) {
      writes.push(`update ${of.kind} ${object.metadata.name}`);
      return collection(of).put(object);
    },
    async patch(of: KindRef, name: string, patch: Patch, { subresource = "" }) {
      writes.push(`${patch.type} ${of.kind}${subresource && `/${subresource}`} ${name}`);
      const before = (collection(of).objects.get(`${namespace}/${name}`) ?? {}) as Json;
      const change = patch.type === "apply" ? patch.object : (patch as { patch: unknown }).patch;
      return collection(of).put(applyMergePatch(before, change as Json) as unknown as KubeObject);
    },
    async delete(of: KindRef, name: string) {
      writes.push(`delete ${of.kind} ${name}`);
      collection(of).delete(`${namespace}/${name}`);
    },
  } as unknown as Client;

  const clock = new VirtualClock();
  const stop = new AbortController();
  end.push(stop);
  const caches = {
    tuneds: tuneds.informer(),
    profiles: profiles.informer(),
    nodes: nodes.informer(),
    daemonSets: others.get("DaemonSet")!.informer(),
    configMaps: others.get("ConfigMap")!.informer(),
  };
  const agent = { namespace, image: "attune", serviceAccount: "agent", release: "" };
  const rest = { namespace, agent, protocol: "documented", version: "1", clock, signal: stop.signal } as const;
  void nodeTuningController({ client, caches, ...rest }).run(stop.signal);
  return { clock, tuneds, profiles, nodes, writes };
}

function node(name: string, labels: Record<string, string> = {}): NodeFacts {
  return { apiVersion: "v1", kind: "Node", metadata: { name, labels: { "kubernetes.io/os": "linux", ...labels } } };
}

function tuned(name: string, label: string, swappiness = 1): Tuned {
  return {
    apiVersion,
    kind: "Tuned",
    metadata: { name, namespace },
    spec: {
      profile: [{ name, data: `[sysctl]\nvm.swappiness=${swappiness}\n` }],
      recommend: [{ profile: name, priority: 1, match: [{ label }] }],
    },
  };
}

/** Five nodes, two of which have the label `x`, settled. */
async function settled(): Promise<ReturnType<typeof world>> {
  const w = world();
  for (const name of ["a", "b", "c"]) w.nodes.put(node(name));
  for (const name of ["x1", "x2"]) w.nodes.put(node(name, { x: "" }));
  w.tuneds.put(tuned("quiet", "x"));
  await w.clock.advance(60_000);
  w.writes.length = 0;
  return w;
}

describe("the operator writes", () => {
  test("one Profile for every node that joins, and the default Tuned", async () => {
    const w = world();
    w.nodes.put(node("a"));
    await w.clock.advance(60_000);
    expect(w.writes.toSorted()).toEqual([
      "apply DaemonSet tuned",
      "apply Tuned default",
      "create ConfigMap node-tuning-status",
      "create Profile a",
      "merge Tuned/status default",
      "update ConfigMap node-tuning-status",
    ]);
  });

  test("nothing if nothing has changed", async () => {
    const w = await settled();
    w.nodes.put(node("a"));
    w.profiles.put({ ...w.profiles.objects.get(`${namespace}/a`)!, status: { tunedProfile: "openshift-node" } });
    await w.clock.advance(60_000);
    expect(w.writes).toEqual([]);
  });

  test("the Profiles that an edit concerns, and no other (W-3)", async () => {
    const w = await settled();
    w.tuneds.put({ ...w.tuneds.objects.get(`${namespace}/quiet`)!, spec: tuned("quiet", "x", 2).spec });
    await w.clock.advance(60_000);
    expect(w.writes.toSorted()).toEqual(["merge Tuned/status quiet", "update Profile x1", "update Profile x2"]);
  });

  test("no Profile for a Tuned that concerns no node", async () => {
    const w = await settled();
    w.tuneds.put(tuned("other", "absent"));
    await w.clock.advance(60_000);
    expect(w.writes).toEqual(["merge Tuned/status other"]);
  });

  test("a Profile again that was changed or deleted, and deletes that of a deleted node", async () => {
    const w = await settled();
    const x1 = w.profiles.objects.get(`${namespace}/x1`)!;
    w.profiles.put({ ...x1, spec: { config: { tunedProfile: "mine" } } });
    w.profiles.delete(`${namespace}/a`);
    w.nodes.delete("b");
    await w.clock.advance(60_000);
    const ofProfiles = w.writes.filter((write) => write.includes("Profile"));
    expect(ofProfiles.toSorted()).toEqual(["create Profile a", "delete Profile b", "update Profile x1"]);
  });

  test("the Profile of a node whose labels change", async () => {
    const w = await settled();
    w.nodes.put(node("a", { x: "" }));
    await w.clock.advance(60_000);
    expect(w.writes).toEqual(["update Profile a"]);
  });
});

test("of a Node only the fields that decisions read are kept", () => {
  const full = {
    ...node("a", { x: "1" }),
    spec: { providerID: "aws:///1", podCIDR: "10.0.0.0/24" },
    status: { images: [], conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: "…" }] },
  };
  full.metadata.annotations = { big: "…" };
  expect(projectNode(full)).toEqual({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "a", labels: { "kubernetes.io/os": "linux", x: "1" } },
    spec: { providerID: "aws:///1" },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
});

test("reports that no decision reads are not kept", () => {
  const spec = { config: { tunedProfile: "p" } };
  const plain: Profile = { apiVersion, kind: "Profile", metadata: { name: "a" }, spec, status: { tunedProfile: "p" } };
  const hardware = { architecture: "amd64", numaNodes: [{ id: 0, cores: ["0/0:0"] }], offline: "" };
  const settings = [{ unit: "sysctl", option: "vm.x", state: "AsWanted" as const, value: "1" }];
  const reports = { hardware, settings, settingsOmitted: 1, bootcmdlinePending: "quiet" };
  const reported: Profile = { ...plain, status: { tunedProfile: "p", ...reports } };
  expect(withoutReports(reported)).toEqual(plain);
  expect(profileFactsOf(reported)).toBe(profileFactsOf(plain));
});
