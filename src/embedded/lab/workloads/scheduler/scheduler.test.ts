import { afterEach, expect, test } from "vitest";
import { ApiError } from "../../../../cluster/kube/api-error.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { VirtualClock } from "../../../../cluster/runtime/testing/virtual-clock.ts";
import { MemoryCluster } from "../testing/memory-cluster.ts";
import { testNode, testPod } from "../testing/objects.ts";
import type { Pod } from "../workload-objects.ts";
import { Scheduler } from "./scheduler.ts";

const ends: AbortController[] = [];
afterEach(() => ends.splice(0).forEach((end) => end.abort()));

interface World {
  clock: VirtualClock;
  cluster: MemoryCluster;
  events: string[];
  /** Starts a scheduler; it ends with the test, or when the returned function is called. */
  start: () => () => void;
  settle: (ms?: number) => Promise<void>;
  nodeOf: (pod: string) => string | undefined;
  condition: (pod: string) => { status: string; reason?: string; message?: string } | undefined;
}

function world(): World {
  const clock = new VirtualClock();
  const cluster = new MemoryCluster(clock);
  const events: string[] = [];
  const pod = (name: string): Pod | undefined => cluster.get(kinds.pod, `default/${name}`);
  return {
    clock,
    cluster,
    events,
    start() {
      const end = new AbortController();
      ends.push(end);
      const scheduler = new Scheduler({
        client: cluster.client,
        clock,
        recorder: { record: ({ reason, message }) => void events.push(`${reason}: ${message}`) },
        pods: cluster.informer(kinds.pod),
        nodes: cluster.informer(kinds.node),
        namespaces: cluster.informer(kinds.namespace),
        budgets: cluster.informer(kinds.podDisruptionBudget),
        claims: cluster.informer(kinds.persistentVolumeClaim),
      });
      void scheduler.run(end.signal);
      return () => end.abort();
    },
    async settle(ms = 0) {
      for (let writes = -1; writes !== cluster.writes.length;) {
        writes = cluster.writes.length;
        await clock.advance(ms);
      }
    },
    nodeOf: (name) => pod(name)?.spec?.nodeName,
    condition: (name) => pod(name)?.status?.conditions?.find(({ type }) => type === "PodScheduled"),
  };
}

test("a pod is bound to a node, with an event", async () => {
  const { cluster, start, settle, nodeOf, events } = world();
  cluster.put(kinds.node, testNode("a"));
  start();
  cluster.put(kinds.pod, testPod("p"));
  await settle();
  expect(nodeOf("p")).toBe("a");
  expect(events).toEqual(["Scheduled: Successfully assigned default/p to a"]);
  expect(cluster.writes).toEqual(["bind default/p"]);
});

test("pods of another scheduler, finished and terminating ones are not scheduled", async () => {
  const { cluster, start, settle } = world();
  cluster.put(kinds.node, testNode("a"));
  cluster.put(kinds.pod, testPod("other", { schedulerName: "mine" }));
  cluster.put(kinds.pod, testPod("done", { status: { phase: "Succeeded" } }));
  cluster.put(kinds.pod, testPod("going", { meta: { deletionTimestamp: "2026-01-01T00:00:00Z" } }));
  start();
  await settle();
  expect(cluster.writes).toEqual([]);
});

test("a pod that fits on no node is reported once, and bound as soon as a node fits", async () => {
  const { cluster, start, settle, nodeOf, condition, events } = world();
  cluster.put(kinds.node, testNode("a", { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] }));
  cluster.put(kinds.node, testNode("b"));
  cluster.put(kinds.node, testNode("c"));
  start();
  cluster.put(kinds.pod, testPod("big", { requests: { cpu: "8" } }));
  await settle();
  const message =
    "0/3 nodes are available: 1 node(s) had untolerated taint {k: v}, 2 Insufficient cpu. " +
    "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.";
  expect(condition("big")).toMatchObject({ status: "False", reason: "Unschedulable", message });
  expect(events).toEqual([`FailedScheduling: ${message}`]);
  await settle(60_000);
  expect(cluster.writes).toEqual(["patch pods/status default/big"]);
  cluster.put(kinds.node, testNode("d", { resources: { cpu: "16" } }));
  await settle();
  expect(nodeOf("big")).toBe("d");
});

test("a pod whose claim does not exist waits for it", async () => {
  const { cluster, clock, start, settle, nodeOf, condition } = world();
  cluster.put(kinds.node, testNode("a"));
  const pod = testPod("p");
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "data" } }];
  cluster.put(kinds.pod, { ...pod, spec: { containers: [], ...pod.spec, volumes } });
  start();
  await settle();
  const message = '0/1 nodes are available: persistentvolumeclaim "data" not found.';
  expect(condition("p")).toMatchObject({ status: "False", reason: "Unschedulable", message });
  expect(nodeOf("p")).toBeUndefined();
  const metadata = { name: "data", namespace: "default" };
  cluster.put(kinds.persistentVolumeClaim, { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata });
  await clock.advance(10_000);
  await settle();
  expect(nodeOf("p")).toBe("a");
});

test("freed resources put waiting pods back into the queue, after a growing backoff", async () => {
  const { cluster, clock, start, settle, nodeOf } = world();
  cluster.put(kinds.node, testNode("a"));
  cluster.put(kinds.pod, testPod("old", { requests: { cpu: "4" }, nodeName: "a" }));
  start();
  cluster.put(kinds.pod, testPod("new", { requests: { cpu: "4" } }));
  await settle();
  cluster.remove(kinds.pod, "default/old");
  await clock.advance(999);
  expect(nodeOf("new")).toBeUndefined();
  await clock.advance(1);
  expect(nodeOf("new")).toBe("a");
});

test("a gated pod waits until its scheduling gates are removed", async () => {
  const { cluster, start, settle, nodeOf, condition } = world();
  cluster.put(kinds.node, testNode("a"));
  const gated = testPod("p");
  cluster.put(kinds.pod, { ...gated, spec: { ...gated.spec!, schedulingGates: [{ name: "x" }] } });
  start();
  await settle();
  expect(condition("p")).toMatchObject({ status: "False", reason: "SchedulingGated" });
  expect(nodeOf("p")).toBeUndefined();
  cluster.put(kinds.pod, { ...cluster.get(kinds.pod, "default/p")!, spec: gated.spec! });
  await settle(1_000);
  expect(nodeOf("p")).toBe("a");
});

test("with room for one pod, the one with the highest priority is bound", async () => {
  const { cluster, start, settle, nodeOf } = world();
  cluster.put(kinds.node, testNode("a"));
  for (const [name, priority] of Object.entries({ low: 1, high: 3, middle: 2 }))
    cluster.put(kinds.pod, testPod(name, { priority, requests: { cpu: "3" } }));
  start();
  await settle();
  expect([nodeOf("low"), nodeOf("middle"), nodeOf("high")]).toEqual([undefined, undefined, "a"]);
});

test("a cache that lags behind does not lead to overcommitted nodes", async () => {
  const { cluster, start, settle, nodeOf } = world();
  cluster.put(kinds.node, testNode("a"));
  for (let i = 0; i < 10; i++) cluster.put(kinds.pod, testPod(`p${i}`, { requests: { cpu: "1" } }));
  start();
  cluster.holdsBack = true;
  await settle();
  const placed = (): number => Array.from({ length: 10 }, (_, i) => nodeOf(`p${i}`)).filter(Boolean).length;
  expect(placed()).toBe(4);
  cluster.holdsBack = false;
  cluster.deliver();
  await settle(30_000);
  expect(placed()).toBe(4);
});

test("a bind without a response keeps its resources, and is not tried on another node", async () => {
  const { cluster, start, settle, nodeOf } = world();
  cluster.put(kinds.node, testNode("a"));
  cluster.put(kinds.pod, testPod("p", { requests: { cpu: "3" } }));
  start();
  cluster.holdsBack = true;
  cluster.afterWrite = () => {
    cluster.afterWrite = () => {};
    throw new Error("socket hang up");
  };
  await settle();
  cluster.put(kinds.pod, testPod("q", { requests: { cpu: "3" } }));
  cluster.deliver();
  await settle(30_000);
  expect([nodeOf("p"), nodeOf("q")]).toEqual(["a", undefined]);
  expect(cluster.writes.filter((write) => write.startsWith("bind"))).toEqual(["bind default/p"]);
});

test("a bind that the API server rejects is tried again", async () => {
  const { cluster, start, settle, nodeOf } = world();
  cluster.put(kinds.node, testNode("a"));
  cluster.put(kinds.pod, testPod("p", { requests: { cpu: "4" } }));
  let refusals = 3;
  cluster.beforeWrite = () => {
    if (refusals-- > 0) throw new ApiError({ code: 429, reason: "TooManyRequests", message: "later" });
  };
  start();
  await settle();
  expect(nodeOf("p")).toBeUndefined();
  await settle(20_000);
  expect(nodeOf("p")).toBe("a");
});

test("a pod preempts pods of lower priority, as few as necessary", async () => {
  const { cluster, start, settle, nodeOf, events } = world();
  cluster.put(kinds.node, testNode("a"));
  cluster.put(kinds.node, testNode("b"));
  for (const [name, priority, node] of [
    ["a1", 5, "a"],
    ["a2", 1, "a"],
    ["b1", 5, "b"],
    ["b2", 6, "b"],
  ] as const)
    cluster.put(kinds.pod, testPod(name, { priority, nodeName: node, requests: { cpu: "2" } }));
  start();
  cluster.put(kinds.pod, testPod("vip", { priority: 10, requests: { cpu: "2" } }));
  await settle(2_000);
  expect(nodeOf("vip")).toBe("a");
  expect(cluster.writes).toEqual([
    "patch pods/status default/vip",
    "patch pods/status default/a2",
    "delete pods default/a2",
    "bind default/vip",
  ]);
  expect(events.some((event) => event.startsWith("Preempted: Preempted by pod uid-vip"))).toBe(true);
});

test("a pod of lower priority does not use the room of a nominated pod", async () => {
  const { cluster, start, settle, nodeOf } = world();
  cluster.put(kinds.node, testNode("a"));
  cluster.put(kinds.pod, testPod("vip", { priority: 10, requests: { cpu: "4" }, status: { nominatedNodeName: "a" } }));
  cluster.put(
    kinds.pod,
    testPod("leaving", { nodeName: "a", requests: { cpu: "3" }, meta: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
  );
  start();
  await settle();
  cluster.put(kinds.pod, testPod("small", { requests: { cpu: "1" } }));
  await settle(5_000);
  expect(nodeOf("small")).toBeUndefined();
  cluster.remove(kinds.pod, "default/leaving");
  await settle(20_000);
  expect([nodeOf("vip"), nodeOf("small")]).toEqual(["a", undefined]);
});

test("two schedulers at once give each pod one node", async () => {
  const { cluster, start, settle, nodeOf } = world();
  for (const name of ["a", "b", "c"]) cluster.put(kinds.node, testNode(name));
  start();
  start();
  for (let i = 0; i < 12; i++) cluster.put(kinds.pod, testPod(`p${i}`));
  await settle(10_000);
  expect(Array.from({ length: 12 }, (_, i) => nodeOf(`p${i}`)).every(Boolean)).toBe(true);
  expect(cluster.writes.filter((write) => write.startsWith("bind"))).toHaveLength(12);
});

test("after a crash behind any write, the next scheduler completes the work", async () => {
  for (let crashAfter = 1; crashAfter <= 6; crashAfter++) {
    const { cluster, start, settle } = world();
    for (const name of ["a", "b"]) cluster.put(kinds.node, testNode(name));
    for (const node of ["a", "b"])
      cluster.put(kinds.pod, testPod(`old-${node}`, { nodeName: node, requests: { cpu: "3" } }));
    for (const name of ["p", "q"]) cluster.put(kinds.pod, testPod(name, { priority: 5, requests: { cpu: "3" } }));
    const kill = start();
    let left = crashAfter;
    cluster.afterWrite = () => {
      if (--left === 0) kill();
      if (left <= 0)
        cluster.beforeWrite = () => {
          throw new Error("dead");
        };
    };
    await settle(2_000);
    cluster.beforeWrite = () => {};
    cluster.afterWrite = () => {};
    start();
    await settle(20_000);
    const pods = cluster.list(kinds.pod).map(({ metadata, spec }) => `${metadata.name} ${spec?.nodeName}`);
    expect(pods.toSorted(), `after ${crashAfter} writes`).toEqual(["p a", "q b"]);
  }
});

test("thousands of pods at once, with nodes added and deleted, never overcommit a node", async () => {
  const { cluster, start, settle } = world();
  for (let i = 0; i < 60; i++) cluster.put(kinds.node, testNode(`n${i}`));
  start();
  for (let i = 0; i < 3_000; i++) {
    cluster.put(kinds.pod, testPod(`p${i}`, { requests: { cpu: "100m" } }));
    if (i % 100 === 0) cluster.put(kinds.node, testNode(`n${i / 100}`, { unschedulable: i % 200 === 0 }));
  }
  await settle(20_000);
  const carried = new Map<string, number>();
  for (const { spec } of cluster.list(kinds.pod))
    if (spec?.nodeName) carried.set(spec.nodeName, (carried.get(spec.nodeName) ?? 0) + 1);
  // 40 pods of 100m fit on each node, and there are more pods than that: every node is full.
  expect(Math.max(...carried.values())).toBe(40);
  const open = cluster.list(kinds.node).filter(({ spec }) => !spec?.unschedulable);
  expect(open.filter(({ metadata }) => carried.get(metadata.name ?? "") !== 40)).toEqual([]);
  const placed = [...carried.values()].reduce((sum, count) => sum + count, 0);
  expect(cluster.writes.filter((write) => write.startsWith("bind"))).toHaveLength(placed);
});
