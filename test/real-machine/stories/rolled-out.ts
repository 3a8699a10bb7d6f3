import { kinds } from "../../../src/cluster/kube/kinds.ts";
import { type MachineConfigPool, machineConfigPoolKind } from "../../../src/domain/machine-config/api.ts";
import { type NodeUpdate, updateOf } from "../../../src/domain/rollout/node-annotations.ts";
import { isTrue } from "../../../src/language/object/condition.ts";
import type { Cluster } from "../harness/cluster.ts";
import { guestName } from "../harness/guest-files.ts";

export const poolName = "worker";
const rolloutSeconds = 900;

/** The name of the pool's config, once the guest has it and it holds: `sources` are the MachineConfigs that it was made of. */
export async function rolledOut(
  cluster: Cluster,
  holds: (sources: readonly string[], name: string) => boolean,
): Promise<string> {
  const isDone = (pool: MachineConfigPool | undefined): boolean => {
    const { name = "", source = [] } = pool?.spec?.configuration ?? {};
    if (
      !pool ||
      !holds(
        source.map(({ name = "" }) => name),
        name,
      )
    )
      return false;
    // Without any MachineConfig there is nothing to roll out.
    if (name === "") return true;
    const { observedGeneration, configuration, conditions } = pool.status ?? {};
    const isObserved = observedGeneration === pool.metadata.generation && configuration?.name === name;
    return isObserved && isTrue(conditions, "Updated");
  };
  const options = { seconds: rolloutSeconds, what: `the pool is updated: ${holds.toString()}` };
  const pool = await cluster.until(machineConfigPoolKind, poolName, isDone, options);
  return pool?.spec?.configuration?.name ?? "";
}

/** What guest and operator have agreed on, once it holds. */
export async function nodeUpdate(
  cluster: Cluster,
  holds: (update: NodeUpdate) => boolean,
  seconds = rolloutSeconds,
): Promise<NodeUpdate> {
  const node = await cluster.until(
    kinds.node,
    guestName,
    (node) => node !== undefined && holds(updateOf(node.metadata)),
    { seconds, what: holds.toString() },
  );
  return updateOf(node?.metadata ?? {});
}
