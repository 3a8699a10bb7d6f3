import { afterEach, describe, expect, test } from "vitest";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { VirtualClock } from "../../../../cluster/runtime/testing/virtual-clock.ts";
import { memoryCaches } from "../testing/memory-caches.ts";
import { MemoryCluster } from "../testing/memory-cluster.ts";
import { testNode } from "../testing/objects.ts";
import type { DaemonSet, Pod } from "../workload-objects.ts";
import { nodeOf, revisionLabel } from "./daemon-pod.ts";
import { daemonSetController } from "./daemon-set-controller.ts";

const ends: AbortController[] = [];
afterEach(() => ends.splice(0).forEach((end) => end.abort()));

function daemonSet(spec: Partial<NonNullable<DaemonSet["spec"]>> = {}, image = "one"): DaemonSet {
  return {
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "agent", namespace: "default" },
    spec: {
      selector: { matchLabels: { app: "agent" } },
      template: { metadata: { labels: { app: "agent" } }, spec: { containers: [{ name: "c", image }] } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      ...spec,
    },
  };
}

class World {
  readonly clock = new VirtualClock();
  readonly cluster = new MemoryCluster(this.clock);
  /** The fewest running pods, and the most on one node, since it was set. */
  worst = { working: Infinity, onOneNode: 0 };

  start(): () => void {
    const end = new AbortController();
    ends.push(end);
    const recorder = { record: () => {} };
    const caches = memoryCaches(this.cluster);
    void daemonSetController({ client: this.cluster.client, caches, clock: this.clock, recorder }).run(end.signal);
    return () => end.abort();
  }

  nodes(...names: string[]): void {
    for (const name of names) this.cluster.put(kinds.node, testNode(name));
  }

  get pods(): Pod[] {
    return this.cluster.list(kinds.pod).toSorted((a, b) => (nodeOf(a) < nodeOf(b) ? -1 : 1));
  }

  get where(): string[] {
    return this.pods.map(nodeOf);
  }

  get images(): (string | undefined)[] {
    return this.pods.map(({ spec }) => spec?.containers[0]?.image);
  }

  get status(): DaemonSet["status"] {
    return this.cluster.get(kinds.daemonSet, "default/agent")?.status;
  }

  get revisions(): string[] {
    return this.cluster
      .list(kinds.controllerRevision)
      .toSorted((a, b) => a.revision - b.revision)
      .map((one) => `${one.revision} ${(one.data as DaemonSet).spec?.template.spec?.containers[0]?.image}`);
  }

  /** Replaces the spec, as `kubectl apply` does. */
  apply(set: DaemonSet): void {
    const before = this.cluster.get(kinds.daemonSet, "default/agent");
    this.cluster.put(kinds.daemonSet, before ? { ...before, spec: set.spec } : set);
  }

  /** Advances the clock; kubelets make pods ready, on all nodes or on some. */
  async settle({ ready = true, onlyOn }: { ready?: boolean; onlyOn?: string[] } = {}): Promise<void> {
    for (let writes = -1; writes !== this.cluster.writes.length;) {
      writes = this.cluster.writes.length;
      await this.clock.advance(1_000);
      this.#note();
      for (const pod of this.pods) {
        if (!ready || pod.status?.phase || (onlyOn && !onlyOn.includes(nodeOf(pod)))) continue;
        this.#setPhase(pod, "Running", "True");
        await this.clock.advance(1_000);
        this.#note();
      }
    }
  }

  fail(pod: Pod): void {
    this.#setPhase(pod, "Failed", "False");
  }

  #setPhase(pod: Pod, phase: string, ready: "True" | "False"): void {
    const conditions = [{ type: "Ready", status: ready, lastTransitionTime: new Date(this.clock.now()).toISOString() }];
    this.cluster.put(kinds.pod, {
      ...pod,
      spec: { ...pod.spec!, nodeName: nodeOf(pod) },
      status: { phase, conditions },
    });
  }

  #note(): void {
    const working = new Set(this.pods.filter(({ status }) => status?.phase === "Running").map(nodeOf)).size;
    const onOneNode = Math.max(...this.where.map((name) => this.where.filter((other) => other === name).length));
    this.worst = {
      working: Math.min(this.worst.working, working),
      onOneNode: Math.max(this.worst.onOneNode, onOneNode),
    };
  }
}

describe("pods", () => {
  test("are created for each node, and the status counts them", async () => {
    const world = new World();
    world.nodes("a", "b", "c");
    world.apply(daemonSet());
    world.start();
    await world.settle();
    expect(world.where).toEqual(["a", "b", "c"]);
    expect(world.pods[0]?.spec?.tolerations).toContainEqual({
      key: "node.kubernetes.io/unschedulable",
      operator: "Exists",
      effect: "NoSchedule",
    });
    expect(world.status).toMatchObject({
      observedGeneration: 1,
      desiredNumberScheduled: 3,
      currentNumberScheduled: 3,
      numberReady: 3,
      updatedNumberScheduled: 3,
      numberAvailable: 3,
      numberMisscheduled: 0,
    });
    expect(world.status?.numberUnavailable).toBeUndefined();
  });

  test("are created and deleted as nodes begin and cease to fit", async () => {
    const world = new World();
    world.nodes("a");
    world.cluster.put(kinds.node, testNode("gpu", { labels: { gpu: "1" } }));
    world.cluster.put(kinds.node, testNode("cordoned", { labels: { gpu: "1" }, unschedulable: true }));
    const taints = [{ key: "k", value: "v", effect: "NoSchedule" }];
    world.cluster.put(kinds.node, testNode("tainted", { labels: { gpu: "1" }, taints }));
    const set = daemonSet();
    set.spec!.template.spec!.nodeSelector = { gpu: "1" };
    world.apply(set);
    world.start();
    await world.settle();
    expect(world.where).toEqual(["cordoned", "gpu"]);
    world.cluster.put(kinds.node, testNode("a", { labels: { gpu: "1" } }));
    world.cluster.put(kinds.node, testNode("cordoned"));
    world.cluster.put(kinds.node, testNode("gpu", { labels: { gpu: "1" }, taints }));
    await world.settle();
    expect(world.where).toEqual(["a", "gpu"]);
    expect(world.status).toMatchObject({ desiredNumberScheduled: 1, numberMisscheduled: 1 });
    world.cluster.put(
      kinds.node,
      testNode("gpu", { labels: { gpu: "1" }, taints: [{ ...taints[0]!, effect: "NoExecute" }] }),
    );
    await world.settle();
    expect(world.where).toEqual(["a"]);
  });

  test("that failed are replaced with a growing backoff", async () => {
    const world = new World();
    world.nodes("a");
    world.apply(daemonSet());
    world.start();
    await world.settle();
    const uid = (): string | undefined => world.pods[0]?.metadata.uid;
    for (const backoffMs of [0, 1_000, 2_000, 4_000]) {
      const failed = uid();
      world.fail(world.pods[0]!);
      await world.clock.advance(backoffMs / 2);
      if (backoffMs > 0) expect(uid(), `after less than ${backoffMs} ms`).toBe(failed);
      await world.clock.advance(backoffMs / 2 + 5);
      expect(uid(), `after ${backoffMs} ms`).not.toBe(failed);
    }
  });

  test("are not created twice while the cache lags behind", async () => {
    const world = new World();
    world.nodes("a", "b");
    world.apply(daemonSet());
    world.start();
    world.cluster.holdsBack = true;
    await world.settle({ ready: false });
    world.apply(daemonSet({ minReadySeconds: 1 }));
    world.cluster.deliver();
    await world.settle({ ready: false });
    expect(world.where).toEqual(["a", "b"]);
  });

  test("without an owner are adopted", async () => {
    const world = new World();
    world.nodes("a");
    world.cluster.put(kinds.pod, {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "orphan", namespace: "default", labels: { app: "agent" } },
      spec: { nodeName: "a", containers: [{ name: "c", image: "zero" }] },
      status: { phase: "Running" },
    });
    world.apply(daemonSet({ updateStrategy: { type: "OnDelete" } }));
    world.start();
    await world.settle();
    expect(world.images).toEqual(["zero"]);
    expect(world.pods[0]?.metadata.ownerReferences).toMatchObject([{ name: "agent", controller: true }]);
  });
});

describe("a new template", () => {
  const strategies = [
    { maxUnavailable: 1, maxSurge: 0, working: 4, onOneNode: 1 },
    { maxUnavailable: "40%", maxSurge: 0, working: 3, onOneNode: 1 },
    { maxUnavailable: 0, maxSurge: 2, working: 5, onOneNode: 2 },
  ];
  test.each(strategies)(
    "is rolled out within maxUnavailable $maxUnavailable and maxSurge $maxSurge",
    async (strategy) => {
      const { maxUnavailable, maxSurge, ...worst } = strategy;
      const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable, maxSurge } };
      const world = new World();
      world.nodes("a", "b", "c", "d", "e");
      world.apply(daemonSet({ updateStrategy }));
      world.start();
      await world.settle();
      world.worst = { working: Infinity, onOneNode: 0 };
      world.apply(daemonSet({ updateStrategy }, "two"));
      await world.settle();
      expect(world.images).toEqual(Array(5).fill("two"));
      expect(world.worst).toEqual(worst);
      expect(world.status).toMatchObject({ updatedNumberScheduled: 5, numberAvailable: 5, observedGeneration: 2 });
    },
  );

  test("stops at one node while its pod is unavailable", async () => {
    const world = new World();
    world.nodes("a", "b", "c");
    world.apply(daemonSet());
    world.start();
    await world.settle();
    world.apply(daemonSet({}, "broken"));
    await world.settle({ ready: false });
    expect(world.images.filter((image) => image === "broken")).toHaveLength(1);
    world.apply(daemonSet({}, "one"));
    await world.settle();
    expect(world.images).toEqual(["one", "one", "one"]);
  });

  test("waits for the deletion of pods with the strategy OnDelete", async () => {
    const world = new World();
    world.nodes("a", "b");
    world.apply(daemonSet({ updateStrategy: { type: "OnDelete" } }));
    world.start();
    await world.settle();
    world.apply(daemonSet({ updateStrategy: { type: "OnDelete" } }, "two"));
    await world.settle();
    expect(world.images).toEqual(["one", "one"]);
    world.cluster.remove(kinds.pod, `default/${world.pods[0]?.metadata.name}`);
    await world.settle();
    expect(world.images).toEqual(["two", "one"]);
    expect(world.status).toMatchObject({ updatedNumberScheduled: 1 });
  });
});

describe("revisions", () => {
  test("are kept for each template, and that of a template that is used again becomes the newest", async () => {
    const world = new World();
    world.nodes("a");
    world.start();
    for (const image of ["one", "two", "three", "one"]) {
      world.apply(daemonSet({}, image));
      await world.settle();
    }
    expect(world.revisions).toEqual(["2 two", "3 three", "4 one"]);
    const [pod] = world.pods;
    const current = world.cluster.list(kinds.controllerRevision).find(({ revision }) => revision === 4);
    expect(pod?.metadata.labels?.[revisionLabel]).toBe(current?.metadata.labels?.[revisionLabel]);
  });

  test("over the history limit are deleted, the oldest first, unless a pod runs them", async () => {
    const world = new World();
    world.nodes("a");
    world.start();
    const strategy = { revisionHistoryLimit: 1, updateStrategy: { type: "OnDelete" } };
    for (const image of ["one", "two", "three", "four"]) {
      world.apply(daemonSet(strategy, image));
      await world.settle();
    }
    expect(world.revisions).toEqual(["1 one", "4 four"]);
  });
});

test("after a crash behind any write, the next controller completes the rollout", async () => {
  for (let crashAfter = 1; crashAfter <= 20; crashAfter++) {
    const world = new World();
    world.nodes("a", "b", "c");
    const kill = world.start();
    let left = crashAfter;
    world.cluster.afterWrite = () => {
      if (--left > 0) return;
      kill();
      world.cluster.beforeWrite = () => {
        throw new Error("dead");
      };
    };
    world.apply(daemonSet());
    await world.settle();
    world.apply(daemonSet({}, "two"));
    await world.settle();
    world.cluster.beforeWrite = () => {};
    world.cluster.afterWrite = () => {};
    world.start();
    await world.settle();
    expect(world.images, `after ${crashAfter} writes`).toEqual(["two", "two", "two"]);
    expect(world.revisions.at(-1)?.endsWith("two")).toBe(true);
  }
});
