import { expect, test } from "vitest";
import { agentAnnotations, annotations, ownAnnotations, updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { findCondition } from "../../src/language/object/condition.ts";
import { withFile } from "./objects.ts";
import { nodeOf } from "./recorded-pools.ts";
import { numbers } from "./testing/numbers.ts";
import { RolloutWorld } from "./testing/rollout-world.ts";
import { SimulatedAgent } from "./testing/simulated-agent.ts";

const second = 1000;
const labels = { "node-role.kubernetes.io/worker": "" };
const honest = ["b", "c", "d", "e"];

test.each([1, 2])(
  "an agent that lies in every annotation it may write changes no other node (seed %i)",
  async (seed) => {
    const random = numbers(seed);
    const world = new RolloutWorld(() => Math.floor(random() * second));
    const agents = honest.map((name) => {
      world.nodes.put(nodeOf({ name, labels, conditions: { Ready: "True" } }));
      return new SimulatedAgent(world, name, () => Math.floor(random() * 3 * second));
    });
    world.nodes.put(nodeOf({ name: "a", labels, conditions: { Ready: "True" } }));
    const away = new Set<string>();
    const unasked: string[] = [];
    const told = new Set<string>();
    let most = 0;
    world.nodes.watch(({ object: { metadata, spec } }) => {
      const { name = "" } = metadata;
      if (name === "a") {
        told.add(updateOf(metadata).desired);
        const cordonedFor = metadata.annotations?.[ownAnnotations.cordonedFor];
        if (cordonedFor !== undefined && !told.has(cordonedFor)) unasked.push(`a was cordoned for ${cordonedFor}`);
        return;
      }
      const { current, desired, state, desiredDrain } = updateOf(metadata);
      if (desired !== "" && (current !== desired || state !== "Done")) away.add(name);
      else away.delete(name);
      most = Math.max(most, away.size);
      if (spec?.unschedulable && desiredDrain === "") unasked.push(`${name} was cordoned`);
      if (desired !== "" && !world.machineConfigs.objects.has(desired)) unasked.push(`${name} was told ${desired}`);
    });
    const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
    const lie = (): void => {
      const target = world.pools.objects.get("worker")?.spec?.configuration?.name ?? "";
      const config = one([target, "", "rendered-worker-none", "50-a", "../../etc", "x".repeat(10_000)]);
      const drain = one(["drain-", "uncordon-", "reboot-", "drain-drain-"]);
      const written = {
        [annotations.currentConfig]: one([config, null]),
        [annotations.state]: one(["Done", "Working", "Degraded", "Unreconcilable", "Lost", "\u0000", null]),
        [annotations.reason]: one(["", "y".repeat(10_000), null]),
        [annotations.desiredDrain]: one([`${drain}${config}`, "drain-b", "", null]),
        [annotations.postConfigAction]: one(["Rebooting", "", null]),
        [agentAnnotations.findings]: one([JSON.stringify(["\u0000".repeat(1000)]), '["lost (b)"]', "[", null]),
      };
      world.nodes.patch("a", { metadata: { annotations: Object.fromEntries([one(Object.entries(written))]) } });
    };
    world.operator();
    for (let edit = 0; edit < 4; edit++) {
      world.machineConfigs.put(withFile("50-a", "/etc/a", String(edit)));
      for (let lies = 0; lies < 100; lies++) {
        await world.clock.advance(Math.floor(random() * 2 * second));
        lie();
      }
    }
    // At last it does as it is told, as an agent that was installed anew.
    const forgotten = Object.values(annotations).map((name): [string, null] => [name, null]);
    world.nodes.patch("a", { metadata: { annotations: Object.fromEntries(forgotten) }, spec: { unschedulable: null } });
    const cured = new SimulatedAgent(world, "a", () => second);
    await world.clock.advance(3_600 * second);
    const { status } = world.pools.objects.get("worker")!;
    expect(unasked).toEqual([]);
    expect(most).toBe(1);
    expect(agents.flatMap(({ restarts }) => [...restarts.values()]).filter((times) => times > 1)).toEqual([]);
    expect([...cured.restarts.values()]).toEqual([1]);
    expect(findCondition(status?.conditions, "Updated")?.status).toBe("True");
    expect(JSON.stringify(status).length).toBeLessThan(10_000);
  },
);
