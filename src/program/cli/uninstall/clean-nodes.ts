import type { Client } from "../../../cluster/kube/client.ts";
import { ifThere, isConflict } from "../../../cluster/kube/api-error.ts";
import { forEachBounded } from "../../../cluster/runtime/for-each-bounded.ts";
import { forgetRollouts } from "../../../domain/rollout/leave-pools.ts";
import { nodeKind, writeNode } from "../../../domain/rollout/node-writer-controller.ts";
import type { RolloutNode } from "../../../domain/rollout/rollout-node.ts";
import { clusterFeatures } from "../../operator/cluster-features.ts";

/** Removes what rollouts wrote to nodes, and their cordons. What other clients wrote stays. */
export async function cleanNodes(client: Client, signal: AbortSignal): Promise<void> {
  const { machineConfigOperator, clusterOperators } = await clusterFeatures(client, signal);
  const rolledOut = !machineConfigOperator && !clusterOperators;
  const { items } = await client.list(nodeKind, { signal });
  const failures: unknown[] = [];
  await forEachBounded(items, 16, async (node) => {
    try {
      await clean(node, rolledOut, client, signal);
    } catch (error) {
      failures.push(error);
    }
  });
  if (failures.length > 0)
    throw new AggregateError(failures, `uninstall: ${failures.length} nodes keep annotations of Attune`);
}

/** The kubelet writes to Nodes too. */
async function clean(listed: RolloutNode, rolledOut: boolean, client: Client, signal: AbortSignal): Promise<void> {
  for (let node: RolloutNode | undefined = listed; node;) {
    const change = forgetRollouts(node, rolledOut);
    if (!change) return;
    try {
      await ifThere(writeNode(client, change, signal));
      return;
    } catch (error) {
      if (!isConflict(error)) throw error;
      node = await ifThere(client.get(nodeKind, listed.metadata.name ?? "", { signal }));
    }
  }
}
