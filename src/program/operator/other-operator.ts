import { isNotFound } from "../../cluster/kube/api-error.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";

/** The Deployment of the operator that Attune replaces, in the namespace of the Tuneds. */
export const otherDeployment = "cluster-node-tuning-operator";

/**
 * Why Attune must not lead now; undefined if it may. Both operators use the same Lease, so they never act at the same time.
 * But while the other one is not scaled to zero, Attune must not take over when it merely restarts.
 */
export async function otherOperator(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { spec } = await client.get(kinds.deployment, otherDeployment, { namespace, signal });
    if ((spec?.replicas ?? 1) === 0) return undefined;
    return `waiting: Deployment ${namespace}/${otherDeployment} manages this cluster; to hand over, run: attune take-over --apply`;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
