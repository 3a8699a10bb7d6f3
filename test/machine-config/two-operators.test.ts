import { expect, test } from "vitest";
import { apiVersion, roleLabel } from "../../src/domain/machine-config/api.ts";
import { updateOf } from "../../src/domain/rollout/node-annotations.ts";
import { withFile } from "./objects.ts";
import { nodeOf } from "./recorded-pools.ts";
import { RolloutWorld } from "./testing/rollout-world.ts";

const second = 1000;
const labels = { "node-role.kubernetes.io/worker": "" };

test("a replica that begins to lead first learns what the leader before has told, however late its watch is", async () => {
  const world = new RolloutWorld();
  world.pools.put({
    apiVersion,
    kind: "MachineConfigPool",
    metadata: { name: "worker" },
    spec: {
      nodeSelector: { matchLabels: labels },
      machineConfigSelector: { matchLabels: { [roleLabel]: "worker" } },
    },
  });
  for (const name of ["a", "b"]) world.nodes.put(nodeOf({ name, labels, conditions: { Ready: "True" } }));
  const ready = (status: string): object => ({ status: { conditions: [{ type: "Ready", status }] } });
  world.nodes.patch("a", { spec: { unschedulable: true } });
  world.nodes.patch("b", ready("False"));
  world.machineConfigs.put(withFile("50-a", "/etc/a"));
  const lead = world.standby(() => 20 * second);
  const stop = world.operator();
  await world.clock.advance(60 * second);
  const told = (): (string | undefined)[] =>
    [...world.nodes.objects.values()]
      .filter(({ metadata }) => updateOf(metadata).desired)
      .map(({ metadata }) => metadata.name);
  world.pools.patch("worker", { spec: { paused: true } });
  world.nodes.patch("b", ready("True"));
  await world.clock.advance(60 * second);
  expect(told()).toEqual([]);

  world.nodes.patch("a", { spec: { unschedulable: null } });
  world.pools.patch("worker", { spec: { paused: false } });
  await world.clock.advance(second);
  expect(told()).toEqual(["a"]);
  // The lease was released: the other replica leads at once, and its cache still shows the cordon.
  stop();
  lead();
  await world.clock.advance(60 * second);
  expect(told()).toEqual(["a"]);
});
