import { afterEach, describe, expect, test } from "vitest";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { formatMicroTime, formatTime } from "../../../../language/object/time.ts";
import { type Lease, leaseKind } from "../../../../cluster/runtime/leader/lease.ts";
import { VirtualClock } from "../../../../cluster/runtime/testing/virtual-clock.ts";
import { memoryCaches } from "../testing/memory-caches.ts";
import { MemoryCluster } from "../testing/memory-cluster.ts";
import { testNode, testPod } from "../testing/objects.ts";
import type { Node, Pod } from "../workload-objects.ts";
import { nodeLifeCycleController } from "./node-life-cycle-controller.ts";
import { podGarbageController } from "./pod-garbage-controller.ts";

let end = new AbortController();
afterEach(() => end.abort());

class World {
  readonly clock = new VirtualClock();
  readonly cluster = new MemoryCluster(this.clock);
  readonly events: string[] = [];
  /** Nodes whose kubelets renew their leases. */
  readonly alive = new Set<string>();

  constructor(...names: string[]) {
    for (const name of names) {
      this.alive.add(name);
      this.cluster.put(kinds.node, testNode(name));
    }
    this.#heartbeat();
  }

  start(): void {
    end.abort();
    end = new AbortController();
    const { cluster, clock } = this;
    const recorder = { record: ({ reason }: { reason: string }) => void this.events.push(reason) };
    const common = { client: cluster.client, caches: memoryCaches(cluster), clock, recorder };
    void nodeLifeCycleController({ ...common, leases: cluster.informer(leaseKind) }).run(end.signal);
    void podGarbageController({ ...common, keptFinished: 2 }).run(end.signal);
  }

  /** Advances the clock; kubelets renew their leases every ten seconds. */
  async pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= 10) {
      await this.clock.advance(Math.min(10, left) * 1000);
      this.#heartbeat();
      await this.clock.advance(0);
    }
  }

  /** The kubelet reports these conditions. */
  report(name: string, ...conditions: [type: string, status: string][]): void {
    const node = this.#node(name);
    const now = formatTime(this.clock.now());
    const said = conditions.map(([type, status]) => ({
      type,
      status,
      lastHeartbeatTime: now,
      lastTransitionTime: now,
    }));
    this.cluster.put(kinds.node, { ...node, status: { ...node.status, conditions: said } });
  }

  addPod(name: string, node: string, more: Parameters<typeof testPod>[1] = {}): void {
    const status = { phase: "Running", conditions: [{ type: "Ready", status: "True" }] };
    this.cluster.put(kinds.pod, testPod(name, { nodeName: node, status, ...more }));
  }

  pod(name: string): Pod | undefined {
    return this.cluster.get(kinds.pod, `default/${name}`);
  }

  ready(name: string): string | undefined {
    return this.#node(name).status?.conditions?.find(({ type }) => type === "Ready")?.status;
  }

  taints(name: string): string[] {
    return (this.#node(name).spec?.taints ?? []).map(({ key, effect }) => `${key.split("/").at(-1)}:${effect}`);
  }

  #node(name: string): Node {
    return this.cluster.get(kinds.node, name)!;
  }

  #heartbeat(): void {
    for (const name of this.alive)
      this.cluster.put<Lease>(leaseKind, {
        apiVersion: leaseKind.apiVersion,
        kind: "Lease",
        metadata: { name, namespace: "kube-node-lease" },
        spec: { renewTime: formatMicroTime(this.clock.now()) },
      });
  }
}

const tolerating = (tolerationSeconds?: number) => ({
  tolerations: ["not-ready", "unreachable"].map((name) => ({
    key: `node.kubernetes.io/${name}`,
    operator: "Exists",
    effect: "NoExecute",
    ...(tolerationSeconds !== undefined && { tolerationSeconds }),
  })),
});

describe("a node", () => {
  test("that renews its lease causes no write", async () => {
    const world = new World("a", "b");
    world.start();
    await world.pass(600);
    expect(world.cluster.writes).toEqual([]);
  });

  test("that is silent for 40 s is Unknown and tainted, and its pods are not ready", async () => {
    const world = new World("a", "b");
    world.addPod("p", "a", tolerating(300));
    world.start();
    world.alive.delete("a");
    await world.pass(39);
    expect(world.ready("a")).toBe("True");
    await world.pass(2);
    expect(world.ready("a")).toBe("Unknown");
    expect(world.taints("a")).toEqual(["unreachable:NoSchedule", "unreachable:NoExecute"]);
    expect(world.pod("p")?.status?.conditions).toMatchObject([{ type: "Ready", status: "False" }]);
    expect(world.events).toContain("NodeNotReady");
    expect(world.taints("b")).toEqual([]);
  });

  test("that is ready again in time loses its taints, and keeps its pods", async () => {
    const world = new World("a", "b");
    world.addPod("p", "a", tolerating(300));
    world.start();
    world.alive.delete("a");
    await world.pass(200);
    world.alive.add("a");
    world.report("a", ["Ready", "True"]);
    await world.pass(400);
    expect(world.taints("a")).toEqual([]);
    expect(world.pod("p")).toBeDefined();
  });

  test.each([
    { conditions: [["Ready", "False"]], taints: ["not-ready:NoSchedule", "not-ready:NoExecute"] },
    {
      conditions: [
        ["Ready", "True"],
        ["MemoryPressure", "True"],
      ],
      taints: ["memory-pressure:NoSchedule"],
    },
    {
      conditions: [
        ["Ready", "True"],
        ["DiskPressure", "True"],
      ],
      taints: ["disk-pressure:NoSchedule"],
    },
    {
      conditions: [
        ["Ready", "True"],
        ["PIDPressure", "True"],
      ],
      taints: ["pid-pressure:NoSchedule"],
    },
    {
      conditions: [
        ["Ready", "True"],
        ["NetworkUnavailable", "True"],
      ],
      taints: ["network-unavailable:NoSchedule"],
    },
    {
      conditions: [
        ["Ready", "True"],
        ["Other", "True"],
      ],
      taints: [],
    },
  ] as { conditions: [string, string][]; taints: string[] }[])(
    "that reports $conditions is tainted $taints",
    async ({ conditions, taints }) => {
      const world = new World("a", "b");
      world.start();
      world.report("a", ...conditions);
      await world.pass(1);
      expect(world.taints("a")).toEqual(taints);
      world.report("a", ["Ready", "True"]);
      await world.pass(1);
      expect(world.taints("a")).toEqual([]);
    },
  );

  test("that is cordoned is tainted, and taints of other clients stay", async () => {
    const world = new World("b");
    const theirs = { key: "k", value: "v", effect: "NoSchedule" };
    world.cluster.put(kinds.node, testNode("a", { unschedulable: true, taints: [theirs] }));
    world.start();
    await world.pass(1);
    expect(world.taints("a")).toEqual(["k:NoSchedule", "unschedulable:NoSchedule"]);
  });

  test("that was silent before the controller started gets 40 s from then", async () => {
    const world = new World("a", "b");
    world.alive.delete("a");
    await world.pass(600);
    world.start();
    await world.pass(39);
    expect(world.ready("a")).toBe("True");
    await world.pass(2);
    expect(world.ready("a")).toBe("Unknown");
  });

  test("that flaps keeps its pods, with a few writes each time", async () => {
    const world = new World("a", "b");
    world.addPod("p", "a", tolerating(300));
    world.start();
    for (let turn = 0; turn < 10; turn++) {
      world.report("a", ["Ready", "False"]);
      await world.pass(20);
      world.report("a", ["Ready", "True"]);
      await world.pass(20);
    }
    expect(world.pod("p")).toBeDefined();
    expect(world.taints("a")).toEqual([]);
    expect(world.cluster.writes.length).toBeLessThanOrEqual(10 * 4);
  });
});

describe("pods", () => {
  test("are evicted when their tolerations end", async () => {
    const world = new World("a", "b");
    world.addPod("never", "a", tolerating());
    world.addPod("soon", "a", tolerating(30));
    world.addPod("later", "a", tolerating(100));
    world.addPod("now", "a");
    world.start();
    world.report("a", ["Ready", "False"]);
    const left = (): string[] => ["never", "soon", "later", "now"].filter((name) => !world.pod(name));
    await world.pass(1);
    expect(left()).toEqual(["now"]);
    await world.pass(28);
    expect(left()).toEqual(["now"]);
    await world.pass(2);
    expect(left()).toEqual(["soon", "now"]);
    // A restarted controller counts from the taint's timeAdded.
    world.start();
    await world.pass(70);
    expect(left()).toEqual(["soon", "later", "now"]);
    expect(world.cluster.writes.filter((write) => write.startsWith("delete"))).toHaveLength(3);
  });

  test("are not evicted while no node is ready", async () => {
    const world = new World("a", "b");
    world.addPod("p", "a");
    world.start();
    world.alive.clear();
    await world.pass(600);
    expect(world.taints("a")).toEqual(["unreachable:NoSchedule"]);
    expect(world.pod("p")).toBeDefined();
    world.alive.add("b");
    world.report("b", ["Ready", "True"]);
    await world.pass(10);
    expect(world.pod("p")).toBeUndefined();
  });

  test("of a deleted node are deleted after 40 s, without a grace period", async () => {
    const world = new World("a", "b");
    world.addPod("p", "a", tolerating());
    world.addPod("q", "b", tolerating());
    world.start();
    await world.pass(1);
    world.alive.delete("a");
    world.cluster.remove(kinds.node, "a");
    await world.pass(39);
    expect(world.pod("p")).toBeDefined();
    await world.pass(2);
    expect([world.pod("p"), world.pod("q")?.metadata.name]).toEqual([undefined, "q"]);
  });

  test("of a deleted node that registers again within 40 s stay", async () => {
    const world = new World("a", "b");
    world.addPod("p", "a", tolerating());
    world.start();
    await world.pass(1);
    world.cluster.remove(kinds.node, "a");
    await world.pass(30);
    world.cluster.put(kinds.node, testNode("a"));
    await world.pass(100);
    expect(world.pod("p")).toBeDefined();
  });

  test("that are finished are kept up to a number, the newest ones", async () => {
    const world = new World("a");
    for (const name of ["one", "two", "three", "four"]) {
      world.addPod(name, "a", { status: { phase: "Succeeded" } });
      await world.pass(1);
    }
    world.start();
    await world.pass(30);
    expect(["one", "two", "three", "four"].filter((name) => world.pod(name))).toEqual(["three", "four"]);
  });
});
