import { isNotFound } from "../../cluster/kube/api-error.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";

/** Of the operator that Attune replaces, in the namespace of the Tuneds. */
export const otherDeployment = "cluster-node-tuning-operator";

/**
 * Why Attune must not act now: both operators take the same Lease, so that they never act at once; and as long as the
 * other is meant to run, its restart is not the moment to take over.
 */
export async function otherOperator(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { spec } = await client.get(kinds.deployment, otherDeployment, { namespace, signal });
    if ((spec?.replicas ?? 1) === 0) return undefined;
    return `the Deployment ${namespace}/${otherDeployment} tunes this cluster; to hand over: kubectl -n ${namespace} scale deployment ${otherDeployment} --replicas=0`;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
