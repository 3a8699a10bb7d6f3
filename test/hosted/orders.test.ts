import { expect, it } from "vitest";
import { apiVersion, type MachineConfig, type MachineConfigPool } from "../../src/domain/machine-config/api.ts";
import { annotations, updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { OrderWorld } from "./order-world.ts";

const names = ["a", "b", "c", "d", "e"];
const second = 1000;
const once = Object.fromEntries(names.map((name) => [name, 1]));

function config(name: string, ...kernelArguments: string[]): MachineConfig {
  return { apiVersion, kind: "MachineConfig", metadata: { name }, spec: { kernelArguments } };
}

function started(): OrderWorld {
  const world = new OrderWorld();
  world.addNodes("np1", names);
  return world;
}

it("an order reaches five nodes, two at a time, with one restart each, and the report says so (hosted W-2)", async () => {
  const world = started();
  const full = world.order([config("50-a", "a=1")]);
  world.operator();
  await world.clock.advance(20 * second);
  expect(world.report()).toMatchObject({ target: full, counts: { total: 5, updated: 0, unavailable: 2, degraded: 0 } });
  expect(world.report()?.current).toBeUndefined();
  await world.clock.advance(300 * second);
  expect(world.report()).toMatchObject({
    target: full,
    current: full,
    counts: { total: 5, updated: 5 },
    updated: names,
  });
  expect(world.restarts()).toEqual(once);
  expect(world.mostAway).toBe(2);
});

it("a drain that takes longer than the NodePool allows is given up, and the node is updated (hosted W-17)", async () => {
  const world = new OrderWorld();
  world.addNodes("np1", ["a"]);
  const metadata = { name: "stuck", namespace: "apps", deletionTimestamp: "1970-01-01T00:00:00Z", finalizers: ["x/y"] };
  world.pods = [{ apiVersion: "v1", kind: "Pod", metadata }];
  world.order([config("50-a", "a=1")], { drainTimeoutMs: 300 * second });
  world.operator();
  await world.clock.advance(290 * second);
  expect(world.restarts()).toEqual({ a: 0 });
  await world.clock.advance(60 * second);
  expect(world.restarts()).toEqual({ a: 1 });
  const [event, ...more] = world.events.filter(({ reason }) => reason === "DrainTimeout");
  expect(event).toMatchObject({
    type: "Warning",
    message: expect.stringMatching(/^node a: not drained after 300 s.*stuck/),
  });
  expect(more).toEqual([]);
});

/** Kills at every write take a minute. */
const step = process.env["ATTUNE_LONG"] ? 1 : 23;

it("an operator that is killed at any write costs no node a second restart, and no node too many is away", async () => {
  let points = 0;
  for (const when of ["before", "after"] as const)
    for (let at = 0, isKilled = true; isKilled; at += step, points++) {
      const world = started();
      const full = world.order([config("50-a", "a=1")]);
      let left = at;
      isKilled = false;
      let kill = world.operator();
      world.writing = (now) => {
        if (now !== when || isKilled || left-- > 0) return;
        isKilled = true;
        kill();
        world.clock.after(10 * second, () => (kill = world.operator()));
      };
      await world.clock.advance(200 * second);
      const killed = `killed ${when} write ${at}`;
      expect(world.report(), killed).toMatchObject({ current: full });
      expect(world.restarts(), killed).toEqual(once);
      expect(world.mostAway, killed).toBeLessThanOrEqual(2);
      kill();
    }
  expect(points).toBeGreaterThan(6);
}, 300_000);

it("a KubeletConfig reaches the nodes with the rest of its order, and nothing more is waited for", async () => {
  const world = started();
  const kubelet = {
    apiVersion,
    kind: "KubeletConfig",
    metadata: { name: "k" },
    spec: { kubeletConfig: { maxPods: 100 } },
  };
  const full = world.order([config("50-a", "a=1"), kubelet]);
  world.operator();
  await world.clock.advance(200 * second);
  expect(world.report()).toMatchObject({ current: full, waiting: [] });
  expect(world.restarts()).toEqual(once);
});

/** All nodes have the first order. */
async function settled(): Promise<{ world: OrderWorld; rendering: string }> {
  const world = started();
  world.order([config("50-a", "a=1")]);
  world.operator();
  await world.clock.advance(200 * second);
  expect(world.restarts()).toEqual(once);
  return { world, rendering: world.pools.objects.get("np1")?.spec?.configuration?.name ?? "" };
}

const pool = (world: OrderWorld): MachineConfigPool | undefined => world.pools.objects.get("np1");
const foreign = { apiVersion, kind: "MachineConfigPool", metadata: { name: "mine" } };
const everything = { matchLabels: { "hypershift.openshift.io/nodePool": "np1" } };

it.each<[string, (world: OrderWorld, rendering: string) => void]>([
  ["a larger budget", (world) => world.pools.patch("np1", { spec: { maxUnavailable: 5 } })],
  ["a pause", (world) => world.pools.patch("np1", { spec: { paused: true } })],
  [
    "another selector of nodes",
    (world) => world.pools.patch("np1", { spec: { nodeSelector: { matchLabels: { x: "y" } } } }),
  ],
  ["another target", (world) => world.pools.patch("np1", { spec: { configuration: { name: "rendered-np1-0" } } })],
  ["no target", (world) => world.pools.patch("np1", { spec: { configuration: null } })],
  ["no label", (world) => world.pools.patch("np1", { metadata: { labels: null } })],
  [
    "another status",
    (world) => world.pools.patch("np1", { status: { configuration: { name: "x" }, machineCount: 99 } }),
  ],
  ["no pool", (world) => world.pools.delete("np1")],
  ["no rendered config", (world, rendering) => world.machineConfigs.delete(rendering)],
  [
    "another rendered config",
    (world, rendering) => world.machineConfigs.patch(rendering, { spec: { kernelArguments: ["evil=1"] } }),
  ],
  [
    "a rendered config without its owner",
    (world, rendering) => world.machineConfigs.patch(rendering, { metadata: { ownerReferences: null } }),
  ],
  [
    "an own pool of the same nodes",
    (world) => world.pools.put({ ...foreign, spec: { nodeSelector: everything, machineConfigSelector: everything } }),
  ],
  [
    "an own MachineConfig with our label",
    (world) =>
      world.machineConfigs.put({
        ...config("99-mine", "evil=1"),
        metadata: { name: "99-mine", labels: everything.matchLabels },
      }),
  ],
  [
    "the label of another NodePool on a node",
    (world) => world.nodes.patch("a", { metadata: { labels: { "hypershift.openshift.io/nodePool": "np2" } } }),
  ],
])("users of the hosted cluster who write %s change nothing on nodes, and it is reverted", async (_, edit) => {
  const { world, rendering } = await settled();
  const [before, stored] = [pool(world), world.machineConfigs.objects.get(rendering)];
  edit(world, rendering);
  await world.clock.advance(60 * second);
  expect(world.restarts()).toEqual(once);
  expect(pool(world)).toMatchObject({ spec: before?.spec, metadata: { labels: before?.metadata.labels } });
  expect(pool(world)?.status).toMatchObject({ machineCount: 5, configuration: { name: rendering } });
  const again = world.machineConfigs.objects.get(rendering);
  expect(again).toMatchObject({ spec: stored?.spec, metadata: { ownerReferences: stored?.metadata.ownerReferences } });
  for (const [name, node] of world.nodes.objects)
    expect(updateOf(node.metadata), name).toMatchObject({ current: rendering, desired: rendering });
  world.mostAway = 0;
  const full = world.order([config("50-a", "a=2")]);
  await world.clock.advance(200 * second);
  expect(world.report()?.current).toBe(full);
  expect(world.restarts()).toEqual(Object.fromEntries(names.map((name) => [name, 2])));
  expect(world.mostAway).toBe(2);
});

it("a node that a user tells something else is told again what was ordered", async () => {
  const { world, rendering } = await settled();
  world.nodes.patch("a", { metadata: { annotations: { [annotations.desiredConfig]: "rendered-np1-0" } } });
  await world.clock.advance(60 * second);
  expect(updateOf(world.nodes.objects.get("a")!.metadata)).toMatchObject({ current: rendering, desired: rendering });
});

it("nodes on their way to an overtaken order are told the next one, within the budget (hosted W-2)", async () => {
  const world = started();
  world.order([config("50-a", "a=1")]);
  world.operator();
  await world.clock.advance(5 * second);
  const full = world.order([config("50-a", "a=2")]);
  await world.clock.advance(300 * second);
  expect(world.report()).toMatchObject({ current: full, counts: { updated: 5 } });
  expect(world.mostAway).toBe(2);
});

it("a paused order tells no further node, and its target is taken up when the pause ends", async () => {
  const world = started();
  world.order([config("50-a", "a=1")], { paused: true });
  world.operator();
  await world.clock.advance(60 * second);
  expect(world.restarts()).toEqual(Object.fromEntries(names.map((name) => [name, 0])));
  const full = world.order([config("50-a", "a=1")]);
  await world.clock.advance(200 * second);
  expect(world.report()?.current).toBe(full);
  expect(world.restarts()).toEqual(once);
});

it("an order that cannot be rendered changes no node, and the report says why", async () => {
  const { world } = await settled();
  const kubelet = {
    apiVersion,
    kind: "KubeletConfig",
    metadata: { name: "k" },
    spec: { kubeletConfig: { maxPods: "many" } },
  };
  const full = world.order([config("50-a", "a=2"), kubelet]);
  await world.clock.advance(60 * second);
  expect(world.report()).toMatchObject({
    target: full,
    problems: [expect.stringMatching(/^KubeletConfig k spec.kubeletConfig.*maxPods/)],
  });
  expect(world.report()?.current).toBeUndefined();
  expect(world.restarts()).toEqual(once);
});

it("an order that cannot be read changes nothing; without an order there is no pool", async () => {
  const { world } = await settled();
  const order = world.configMaps.objects.get("clusters-demo/pool-order-np1")!;
  world.configMaps.put({ ...order, data: { ...order.data, order: "{" } });
  await world.clock.advance(60 * second);
  expect(pool(world)?.spec?.maxUnavailable).toBe(2);
  world.configMaps.delete("clusters-demo/pool-order-np1");
  await world.clock.advance(60 * second);
  expect(pool(world)).toBeUndefined();
  expect(world.restarts()).toEqual(once);
});

it("a NodePool without configuration is finished at once, and its nodes stay as they are", async () => {
  const world = started();
  const full = world.order([]);
  world.operator();
  await world.clock.advance(10 * second);
  expect(world.report()).toMatchObject({ current: full, counts: { total: 5, updated: 5, unavailable: 0 } });
});

it.each(["InPlace", "Replace"] as const)(
  "nodes that disagree about boot arguments are in the report (%s)",
  async (upgradeType) => {
    const { world } = await settled();
    world.order([config("50-a", "a=1")], { upgradeType });
    const values = new Map([
      ["a=1", ["a", "b"]],
      ["a=2", ["c", "d", "e", "f"]],
    ]);
    const outcome = { type: "conflict", values } as const;
    world.boot.set({
      tuneds: [],
      poolsOf: new Map(),
      pools: [{ pool: "np1", rule: {} as never, outcome }],
      orphaned: [],
    });
    await world.clock.advance(second);
    expect(world.report()?.bootArguments).toBe(
      'nodes disagree about boot arguments: "a=1" on a, b; "a=2" on c, d, e and 1 more nodes',
    );
  },
);
