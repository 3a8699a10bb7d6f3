import { describe, expect, test } from "vitest";
import { apiVersion, roleLabel } from "../../src/domain/machine-config/api.ts";
import { annotations, ownAnnotations, updateOf } from "../../src/domain/rollout/node-annotations.ts";
import type { RolloutNode } from "../../src/domain/rollout/rollout-node.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { withFile } from "./objects.ts";
import { nodeOf } from "./recorded-pools.ts";
import { numbers } from "./testing/numbers.ts";
import { RolloutWorld } from "./testing/rollout-world.ts";
import { SimulatedAgent } from "./testing/simulated-agent.ts";

const pools = ["worker", "a", "b", "c"];
const second = 1000;
const minute = 60 * second;

/** 50 nodes in each of four pools, of which a tenth may be unavailable. Caches lag by up to three seconds. */
function fourPools(seed: number): {
  world: RolloutWorld;
  agents: SimulatedAgent[];
  most: Map<string, number>;
  random: () => number;
} {
  const random = numbers(seed);
  const world = new RolloutWorld(() => Math.floor(random() * 3 * second));
  const agents: SimulatedAgent[] = [];
  const away = new Map(pools.map((pool): [string, Set<string>] => [pool, new Set()]));
  const most = new Map(pools.map((pool) => [pool, 0]));
  for (const pool of pools) {
    const values = [...new Set(["worker", pool])];
    world.pools.put({
      apiVersion,
      kind: "MachineConfigPool",
      metadata: { name: pool },
      spec: {
        maxUnavailable: "10%",
        nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${pool}`]: "" } },
        machineConfigSelector: { matchExpressions: [{ key: roleLabel, operator: "In", values }] },
      },
    });
    for (let index = 0; index < 50; index++) {
      const name = `${pool}-${index}`;
      const labels = { [`node-role.kubernetes.io/${pool}`]: "", "topology.kubernetes.io/zone": `z${index % 3}` };
      world.nodes.put(nodeOf({ name, labels, conditions: { Ready: "True" } }));
      agents.push(new SimulatedAgent(world, name, () => Math.floor(random() * 5 * second)));
    }
  }
  // Checked on every event: no state of the server may exceed the budget.
  world.nodes.watch(({ object }) => {
    const [pool = ""] = (object.metadata.name ?? "").split("-");
    const names = away.get(pool)!;
    if (isAway(object)) names.add(object.metadata.name ?? "");
    else names.delete(object.metadata.name ?? "");
    most.set(pool, Math.max(most.get(pool) ?? 0, names.size));
  });
  return { world, agents, most, random };
}

/** Told and not done, or not ready. */
function isAway({ metadata, spec, status }: RolloutNode): boolean {
  const { current, desired, state } = updateOf(metadata);
  const isDone = current === desired && state === "Done";
  return (
    (desired !== "" && !isDone) ||
    spec?.unschedulable === true ||
    findCondition(status?.conditions, "Ready")?.status !== "True"
  );
}

function areUpdated(world: RolloutWorld): boolean {
  return pools.every((pool) => {
    const { spec, status } = world.pools.objects.get(pool)!;
    return (
      findCondition(status?.conditions, "Updated")?.status === "True" &&
      status?.configuration?.name === spec?.configuration?.name &&
      status?.updatedMachineCount === 50
    );
  });
}

async function advanceUntil(world: RolloutWorld, holds: () => boolean): Promise<void> {
  for (let minutes = 0; !holds() && minutes < 300; minutes++) await world.clock.advance(minute);
  expect(holds()).toBe(true);
}

describe("200 nodes in four pools with maxUnavailable 10%", () => {
  test("never exceed it, with caches that lag and a config that changes on the way", async () => {
    const { world, agents, most } = fourPools(1);
    world.machineConfigs.put(withFile("50-a", "/etc/a", "one"));
    world.operator();
    await world.clock.advance(3 * minute);
    world.machineConfigs.put(withFile("50-a", "/etc/a", "two"));
    await advanceUntil(world, () => areUpdated(world));
    expect([...most]).toEqual(pools.map((pool) => [pool, 5]));
    expect(agents.flatMap(({ restarts }) => [...restarts.values()]).every((times) => times === 1)).toBe(true);
    expect([...world.nodes.objects.values()].filter(({ spec }) => spec?.unschedulable)).toEqual([]);
  });

  test("never exceed it when the operator is killed at 50 moments, and no node restarts twice for a config", async () => {
    const { world, agents, most, random } = fourPools(2);
    world.machineConfigs.put(withFile("50-a", "/etc/a", "one"));
    let kill = world.operator();
    for (let times = 0; times < 50; times++) {
      await world.clock.advance(Math.floor(random() * 20 * second));
      kill();
      await world.clock.advance(Math.floor(random() * 10 * second));
      kill = world.operator();
    }
    await advanceUntil(world, () => areUpdated(world));
    expect(Math.max(...most.values())).toBeLessThanOrEqual(5);
    expect(agents.map(({ restarts }) => [...restarts.values()])).toEqual(agents.map(() => [1]));
    const leftOver = [...world.nodes.objects.values()].filter(
      ({ spec, metadata }) => spec?.unschedulable || metadata.annotations?.[ownAnnotations.progress],
    );
    expect(leftOver).toEqual([]);
  });
});

test("a node that is silent for 15 minutes after a restart has failed and stops its pool, until it comes back (machine-config W-15)", async () => {
  const world = new RolloutWorld();
  const names = ["a", "b", "c"];
  const labels = { "node-role.kubernetes.io/worker": "" };
  for (const name of names) world.nodes.put(nodeOf({ name, labels, conditions: { Ready: "True" } }));
  // Slow enough that the first has failed before the second is done.
  const [silent] = names.map((name) => new SimulatedAgent(world, name, () => 6 * minute));
  silent!.isDead = true;
  world.machineConfigs.put(withFile("50-a", "/etc/a"));
  world.operator();
  await world.clock.advance(second);
  world.pools.patch("worker", { spec: { maxUnavailable: 2 } });
  const desired = (): string[] => names.map((name) => updateOf(world.nodes.objects.get(name)!.metadata).desired);

  await world.clock.advance(60 * minute);
  const [config = ""] = desired();
  expect(desired()).toEqual([config, config, ""]);
  expect(world.pools.objects.get("worker")!.status).toMatchObject({ updatedMachineCount: 1, degradedMachineCount: 1 });
  expect(conditionOf(world, "NodeDegraded")).toMatchObject({
    status: "True",
    reason: "NodesFailed",
    message: expect.stringContaining("silent for 15 minutes since it started to reboot"),
  });
  expect(conditionOf(world, "RolloutBlocked")).toMatchObject({ status: "True", reason: "NodeFailed" });

  silent!.comeBack(config);
  await world.clock.advance(60 * minute);
  expect(desired()).toEqual([config, config, config]);
  expect(conditionOf(world, "Updated")).toMatchObject({ status: "True" });
  expect(conditionOf(world, "NodeDegraded")).toMatchObject({ status: "False" });
  expect(conditionOf(world, "RolloutBlocked")).toMatchObject({ status: "False" });
  expect([...silent!.restarts.values()]).toEqual([1]);
});

test("a node that fails twice on a config goes back to the one it had, and is asked again when the pool has another", async () => {
  const { world, target, report, desired } = oneNode();
  const good = await target("good");
  await report({ [annotations.currentConfig]: good, [annotations.state]: "Done" });
  const bad = await target("bad");
  expect(desired()).toBe(bad);
  await report({ [annotations.state]: "Degraded", [annotations.reason]: "no space" });
  expect(desired()).toBe(bad);
  await report({ [annotations.state]: "Working", [annotations.reason]: "" });
  await report({ [annotations.state]: "Degraded", [annotations.reason]: "no space" });
  expect(desired()).toBe(good);
  await report({ [annotations.state]: "Done", [annotations.reason]: "" });
  await world.clock.advance(60 * minute);
  expect(desired()).toBe(good);
  expect(conditionOf(world, "NodeDegraded")?.message).toBe(
    `Node n is reporting: "failed 2 times on ${bad}: no space; correct the MachineConfigs of the pool to try again"`,
  );
  const next = await target("next");
  expect(desired()).toBe(next);
});

test("a drained node that failed gets the corrected config, although it uses the whole budget itself", async () => {
  const { world, target, report, desired } = oneNode();
  const good = await target("good");
  await report({ [annotations.currentConfig]: good, [annotations.state]: "Done" });
  const bad = await target("bad");
  await report({ [annotations.state]: "Working", [annotations.desiredDrain]: `drain-${bad}` });
  await report({ [annotations.state]: "Degraded", [annotations.reason]: "no space" });
  expect(world.nodes.objects.get("n")!.spec?.unschedulable).toBe(true);
  const next = await target("next");
  expect(desired()).toBe(next);
});

test("50 edits while requests fail, some after they were carried out: budget, one restart for each config, nothing left", async () => {
  const random = numbers(7);
  const world = new RolloutWorld(() => Math.floor(random() * 2 * second));
  const labels = { "node-role.kubernetes.io/worker": "" };
  const away = new Set<string>();
  let most = 0;
  world.nodes.watch(({ object }) => {
    const { name = "" } = object.metadata;
    if (isAway(object)) away.add(name);
    else away.delete(name);
    most = Math.max(most, away.size);
  });
  const agents = [..."abcdefgh"].map((name) => {
    world.nodes.put(nodeOf({ name, labels, conditions: { Ready: "True" } }));
    return new SimulatedAgent(world, name, () => Math.floor(random() * 5 * second));
  });
  const codes = [409, 429, 500, 503];
  world.fault = () =>
    random() < 0.15 ? { code: codes[Math.floor(random() * 4)] ?? 500, late: random() < 0.5 } : undefined;
  world.operator();
  for (let edit = 0; edit < 50; edit++) {
    world.machineConfigs.put(withFile("50-a", "/etc/a", String(edit)));
    await world.clock.advance(Math.floor(random() * 40 * second));
  }
  await advanceUntil(world, () => conditionOf(world, "Updated")?.status === "True");
  await world.clock.advance(10 * minute);
  expect(most).toBe(1);
  expect(agents.flatMap(({ restarts }) => [...restarts.values()]).filter((times) => times > 1)).toEqual([]);
  expect(
    [...world.nodes.objects.values()].filter(
      ({ spec, metadata }) =>
        spec?.unschedulable || spec?.taints?.length || metadata.annotations?.[ownAnnotations.progress],
    ),
  ).toEqual([]);
});

test("edits of a pool during a rollout are neither lost nor in conflict with its status (machine-config W-24)", async () => {
  const world = new RolloutWorld(() => second);
  const labels = { "node-role.kubernetes.io/worker": "" };
  world.nodes.put(nodeOf({ name: "n", labels, conditions: { Ready: "True" } }));
  const { restarts } = new SimulatedAgent(world, "n", () => second);
  world.operator();
  world.machineConfigs.put(withFile("50-a", "/etc/a"));
  await world.clock.advance(5 * second);
  for (let edit = 1; edit <= 100; edit++) {
    world.pools.patch("worker", { metadata: { annotations: { edit: String(edit) } } });
    await world.clock.advance(700);
  }
  expect(conditionOf(world, "Updated")).toMatchObject({ status: "True" });
  expect(world.pools.objects.get("worker")!.metadata.annotations).toMatchObject({ edit: "100" });
  expect([...restarts.values()]).toEqual([1]);
});

/** A node whose agent is the test. */
function oneNode(): {
  world: RolloutWorld;
  target: (text: string) => Promise<string>;
  report: (written: Record<string, string>) => Promise<void>;
  desired: () => string;
} {
  const world = new RolloutWorld();
  const labels = { "node-role.kubernetes.io/worker": "" };
  world.nodes.put(nodeOf({ name: "n", labels, conditions: { Ready: "True" } }));
  world.operator();
  return {
    world,
    async target(text) {
      world.machineConfigs.put(withFile("50-a", "/etc/a", text));
      await world.clock.advance(10 * second);
      return world.pools.objects.get("worker")!.spec!.configuration!.name!;
    },
    async report(written) {
      world.nodes.patch("n", { metadata: { annotations: written } });
      await world.clock.advance(10 * second);
    },
    desired: () => updateOf(world.nodes.objects.get("n")!.metadata).desired,
  };
}

function conditionOf(
  world: RolloutWorld,
  type: string,
): ReturnType<typeof findCondition<{ type: string; status: string; message: string }>> {
  return findCondition(world.pools.objects.get("worker")!.status?.conditions, type);
}
