import { describe, expect, test } from "vitest";
import { apiVersion, roleLabel } from "../../src/domain/machine-config/api.ts";
import { ownAnnotations, updateOf } from "../../src/domain/rollout/node-annotations.ts";
import type { RolloutNode } from "../../src/domain/rollout/rollout-node.ts";
import { poolOfRendering } from "../../src/domain/machine-config/rendered-annotations.ts";
import { withFile } from "./objects.ts";
import { nodeOf } from "./recorded-pools.ts";
import { RolloutWorld } from "./testing/rollout-world.ts";
import { SimulatedAgent } from "./testing/simulated-agent.ts";

const second = 1000;
const minute = 60 * second;
const names = ["a", "b", "c", "d"];
const worker = { "node-role.kubernetes.io/worker": "" };
const own = { "node-role.kubernetes.io/rt": "" };

/** Four nodes of the pool worker, of which one may be away. */
function fourNodes(labels: Record<string, string> = worker): {
  readonly world: RolloutWorld;
  readonly agents: readonly SimulatedAgent[];
  readonly most: () => number;
} {
  const world = new RolloutWorld(() => 100);
  const agents = names.map((name) => {
    world.nodes.put(nodeOf({ name, labels, conditions: { Ready: "True" } }));
    return new SimulatedAgent(world, name, () => second);
  });
  let most = 0;
  world.nodes.watch(() => {
    most = Math.max(most, nodesOf(world).filter(isAway).length);
  });
  return { world, agents, most: () => most };
}

function nodesOf(world: RolloutWorld): RolloutNode[] {
  return [...world.nodes.objects.values()];
}

function isAway({ metadata, spec }: RolloutNode): boolean {
  const { current, desired, state } = updateOf(metadata);
  return (desired !== "" && !(current === desired && state === "Done")) || spec?.unschedulable === true;
}

function createPool(world: RolloutWorld): void {
  world.pools.put({
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name: "rt" },
    spec: {
      nodeSelector: { matchLabels: own },
      machineConfigSelector: { matchExpressions: [{ key: roleLabel, operator: "In", values: ["worker", "rt"] }] },
    },
  });
}

const targetOf = (world: RolloutWorld, pool = "worker"): string =>
  world.pools.objects.get(pool)?.spec?.configuration?.name ?? "";
const allHave = (world: RolloutWorld, config: string): boolean =>
  nodesOf(world).every((node) => updateOf(node.metadata).current === config && !isAway(node));

async function advanceUntil(world: RolloutWorld, holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 60; waited++) await world.clock.advance(minute);
  expect(holds()).toBe(true);
}

/** Nothing of a rollout is left on a node. */
function expectRest(world: RolloutWorld): void {
  const left = nodesOf(world).filter(
    ({ metadata, spec }) =>
      spec?.unschedulable || metadata.annotations?.[ownAnnotations.progress] || spec?.taints?.length,
  );
  expect(left).toEqual([]);
}

describe("in the middle of a rollout", () => {
  // Told, draining, restarting, and between two nodes.
  const moments = [4, 10, 25, 60].map((seconds) => seconds * second);

  test.each(moments)(
    "its config is deleted, after %d ms: the nodes return, and none restarts twice for a config",
    async (ms) => {
      const { world, agents, most } = fourNodes();
      world.machineConfigs.put(withFile("50-a", "/etc/a"));
      world.operator();
      await advanceUntil(world, () => targetOf(world) !== "" && allHave(world, targetOf(world)));
      const before = targetOf(world);
      world.machineConfigs.put(withFile("60-b", "/etc/b"));
      await world.clock.advance(ms);
      world.machineConfigs.delete("60-b");
      await world.clock.advance(minute);
      await advanceUntil(world, () => targetOf(world) === before && allHave(world, before));
      // For the first config twice: when it came, and when it came back.
      for (const { restarts } of agents)
        for (const [config, times] of restarts) expect(times).toBeLessThanOrEqual(config === before ? 2 : 1);
      expect(most()).toBe(1);
      expectRest(world);
    },
  );

  test.each(moments)("its pool is deleted, after %d ms: the nodes get what the pool worker has", async (ms) => {
    const { world, agents, most } = fourNodes({ ...worker, ...own });
    createPool(world);
    world.machineConfigs.put(withFile("50-a", "/etc/a"));
    const rt = withFile("60-b", "/etc/b");
    world.machineConfigs.put({ ...rt, metadata: { ...rt.metadata, labels: { [roleLabel]: "rt" } } });
    world.operator();
    await world.clock.advance(ms);
    world.pools.delete("rt");
    // The garbage collector follows.
    for (const [name, config] of world.machineConfigs.objects)
      if (poolOfRendering(config) === "rt") world.machineConfigs.delete(name);
    await world.clock.advance(minute);
    await advanceUntil(world, () => targetOf(world) !== "" && allHave(world, targetOf(world)));
    expect(most()).toBe(1);
    for (const { restarts } of agents) expect(Math.max(...restarts.values())).toBe(1);
    expectRest(world);
  });

  test.each(moments)(
    "its pool is deleted, after %d ms, and the nodes are in no other: they keep what they have",
    async (ms) => {
      const { world } = fourNodes(own);
      createPool(world);
      const rt = withFile("60-b", "/etc/b");
      world.machineConfigs.put({ ...rt, metadata: { ...rt.metadata, labels: { [roleLabel]: "rt" } } });
      world.operator();
      await world.clock.advance(ms);
      world.pools.delete("rt");
      await world.clock.advance(5 * minute);
      expectRest(world);
      expect(nodesOf(world).filter(isAway)).toEqual([]);
    },
  );

  test.each([2 * 60 * minute, 3 * 24 * 60 * minute])(
    "the clock is set back by %d ms: it goes on at its pace",
    async (ms) => {
      const { world, agents, most } = fourNodes();
      world.machineConfigs.put(withFile("50-a", "/etc/a"));
      world.operator();
      for (const moment of moments) {
        await world.clock.advance(moment / 4);
        world.clock.setBack(ms);
      }
      world.machineConfigs.put(withFile("50-a", "/etc/a", "two"));
      await advanceUntil(world, () => allHave(world, targetOf(world)));
      expect(most()).toBe(1);
      for (const { restarts } of agents) expect(Math.max(...restarts.values())).toBe(1);
      expectRest(world);
    },
  );

  test("two clients overwrite each other for five minutes: nodes restart one after another, and all end with the last", async () => {
    const { world, agents, most } = fourNodes();
    world.operator();
    for (let edit = 0; edit < 60; edit++) {
      world.machineConfigs.put(withFile("50-a", "/etc/a", edit % 2 === 0 ? "one" : "two"));
      await world.clock.advance(5 * second);
    }
    expect(most()).toBe(1);
    await advanceUntil(world, () => allHave(world, targetOf(world)));
    // A restart takes 20 seconds: one after another, nodes have 15 in this time and 4 after it.
    expect(
      agents.flatMap(({ restarts }) => [...restarts.values()]).reduce((sum, times) => sum + times, 0),
    ).toBeLessThan(20);
    expectRest(world);
  });
});
