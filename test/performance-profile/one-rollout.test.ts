import { describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../src/domain/machine-config/api.ts";
import { performanceProfileKind } from "../../src/domain/performance-profile/api.ts";
import { heldAnnotation } from "../../src/domain/rollout/held.ts";
import { eventually, gone } from "../node-tuning/eventually.ts";
import { emptyServers } from "../servers/server-under-test.ts";
import { lowLatency, poolName, type ProfileCluster, tunedCluster } from "./profile-cluster.ts";

/** Every config that the pool had as its target, in order. */
function targets({ client, signal, run }: ProfileCluster): readonly string[] {
  const names: string[] = [];
  const follow = async (): Promise<void> => {
    for await (const event of client.watch(machineConfigPoolKind, { sendInitialEvents: true, signal })) {
      if (event.type === "BOOKMARK" || event.type === "ERROR" || event.object.metadata.name !== poolName) continue;
      const name = event.object.spec?.configuration?.name;
      if (name !== undefined && name !== names.at(-1)) names.push(name);
    }
  };
  run(follow().catch((error: unknown) => void (signal.aborted || Promise.reject(error as Error))));
  return names;
}

/** Waits until the pool's target has boot arguments with this one, or none. */
async function released({ client }: ProfileCluster, argument: string | undefined): Promise<string> {
  return eventually(`a config with ${argument} is released`, async () => {
    const { metadata, spec } = await client.get(machineConfigPoolKind, poolName);
    const { name } = spec?.configuration ?? {};
    if (name === undefined || metadata.annotations?.[heldAnnotation] !== undefined) return undefined;
    const { kernelArguments } = (await client.get(machineConfigKind, name)).spec ?? {};
    const isIt = argument === undefined ? kernelArguments?.length === 0 : kernelArguments?.includes(argument);
    return isIt && name;
  });
}

describe("a PerformanceProfile with files and boot arguments", () => {
  it.each(emptyServers())(
    "costs one rollout when it is created, one when it is edited, and one when it is deleted, on the $name server (machine-config W-20)",
    async ({ start }) => {
      const cluster = await tunedCluster(["a", "b"], start);
      const { client } = cluster;
      const names = targets(cluster);
      cluster.runOperator();
      await cluster.agentsReport();
      await client.create(performanceProfileKind, lowLatency());
      const first = await released(cluster, "nohz_full=1-3");
      const sources = (await client.get(machineConfigPoolKind, poolName)).spec?.configuration?.source;
      expect(sources?.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["50-nto-worker-cnf", "50-performance-low-latency"]),
      );
      expect(names).toEqual([first]);

      const cpu = { reserved: "0-1", isolated: "2-3" };
      await client.patch(performanceProfileKind, "low-latency", { type: "merge", patch: { spec: { cpu } } });
      const second = await released(cluster, "nohz_full=2-3");
      expect(names).toEqual([first, second]);

      await client.delete(performanceProfileKind, "low-latency");
      await gone("the profile", () => client.get(performanceProfileKind, "low-latency"));
      const third = await released(cluster, undefined);
      expect(names).toEqual([first, second, third]);
      expect(await client.list(kinds.runtimeClass)).toMatchObject({ items: [] });
    },
  );
});
