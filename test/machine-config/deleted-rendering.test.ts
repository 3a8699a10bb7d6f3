import { expect, test } from "vitest";
import { ownAnnotations, updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { withFile } from "./objects.ts";
import { nodeOf } from "./recorded-pools.ts";
import { RolloutWorld } from "./testing/rollout-world.ts";
import { SimulatedAgent } from "./testing/simulated-agent.ts";

const second = 1000;
const labels = { "node-role.kubernetes.io/worker": "" };
const names = ["a", "b", "c"];

test("the target of a pool that a user deletes is created again, and no node fails (machine-config W-4)", async () => {
  const world = new RolloutWorld();
  const agents = names.map((name) => {
    world.nodes.put(nodeOf({ name, labels, conditions: { Ready: "True" } }));
    return new SimulatedAgent(world, name, () => second);
  });
  let failures = 0;
  world.nodes.watch(({ object }) => {
    if (object.metadata.annotations?.[ownAnnotations.progress]?.includes("Failed")) failures++;
  });
  world.machineConfigs.put(withFile("50-a", "/etc/a"));
  world.operator();
  const targetOf = (): string => world.pools.objects.get("worker")?.spec?.configuration?.name ?? "";
  for (let waited = 0; waited < 100 && targetOf() === ""; waited++) await world.clock.advance(second);
  const target = targetOf();
  const spec = world.machineConfigs.objects.get(target)?.spec;
  expect(spec).toBeDefined();
  // In every part of the update: told, draining, restarting, done.
  for (let deletions = 0; deletions < 200; deletions++) {
    world.machineConfigs.delete(target);
    await world.clock.advance(second);
    expect(world.machineConfigs.objects.get(target)?.spec).toEqual(spec);
  }
  expect(names.map((name) => updateOf(world.nodes.objects.get(name)!.metadata).current)).toEqual(
    names.map(() => target),
  );
  expect(agents.map(({ restarts }) => restarts.get(target))).toEqual([1, 1, 1]);
  expect(failures).toBe(0);
});

test("renderings that no node was told are deleted after ten minutes, although nothing else happens (machine-config W-4)", async () => {
  const world = new RolloutWorld();
  world.operator();
  const renderings = (): string[] => [...world.machineConfigs.objects.keys()].filter((name) => name !== "50-a");
  for (const path of ["/etc/a", "/etc/b", "/etc/c"]) {
    const before = renderings().length;
    world.machineConfigs.put(withFile("50-a", path));
    for (let waited = 0; waited < 100 && renderings().length === before; waited++) await world.clock.advance(second);
  }
  expect(renderings()).toHaveLength(3);
  await world.clock.advance(11 * 60 * second);
  expect(renderings()).toEqual([world.pools.objects.get("worker")?.spec?.configuration?.name]);
});
