import { ifThere, isForbidden } from "../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { leaseKind } from "../../cluster/runtime/leader/lease.ts";
import { containerRuntimeConfigKind, kubeletConfigKind } from "../../domain/machine-config/api.ts";
import {
  machineConfigurationKind,
  mergedPolicy,
  userPolicy,
} from "../../domain/machine-config/cost/disruption-policy.ts";
import type { BlockedNode } from "../../domain/plan/pool-waits.ts";
import type { RolloutState } from "../../domain/plan/rollout-changes.ts";
import { isEvictable } from "../../domain/rollout/drain/evictable-pods.ts";
import { formatLabelSelector, fromLabelSelector } from "../../language/object/label-selector.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { type ClusterFeatures, rollsOut } from "../operator/cluster-features.ts";
import { operatorLease, operatorServiceAccount } from "../operator/rbac.ts";
import { sha256 } from "../operator/sha256.ts";

/** What the rollout of pools depends on. Undefined where the cluster has no MachineConfigPools. */
export async function gatherRollout(
  client: Client,
  features: ClusterFeatures,
  { namespace, signal }: { readonly namespace: string; readonly signal: AbortSignal },
): Promise<RolloutState | undefined> {
  if (!features.machineConfigPools) return undefined;
  const all = async <T extends KubeObject>(kind: KindRef<T>): Promise<readonly T[]> =>
    (await ifThere(client.list(kind, { signal })))?.items ?? [];
  const [kubeletConfigs, containerRuntimeConfigs, policy, blocked, operatorNode] = await Promise.all([
    all(kubeletConfigKind),
    all(containerRuntimeConfigKind),
    ifThere(client.get(machineConfigurationKind, "cluster", { signal })),
    gatherBlocked(client, signal),
    gatherOperatorNode(client, namespace, signal),
  ]);
  return {
    kubeletConfigs,
    containerRuntimeConfigs,
    policy: mergedPolicy(policy ? userPolicy(policy) : {}),
    blocked,
    operatorNode,
    isOurs: rollsOut(features),
    digest: sha256,
  };
}

/** The node of the pod that leads, by its lease: `attune-operator-7d9f-abcde_UUID`. Undefined where it runs outside of the cluster. */
async function gatherOperatorNode(client: Client, namespace: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const lease = await ifThere(client.get(leaseKind, operatorLease, { namespace, signal }));
    const [name = ""] = lease?.spec?.holderIdentity?.split("_") ?? [];
    if (name === "") return undefined;
    const { items } = await client.list(kinds.pod, { fieldSelector: `metadata.name=${name}`, signal });
    return items.find(({ spec }) => spec?.serviceAccountName === operatorServiceAccount)?.spec?.nodeName;
  } catch (error) {
    // Without the right to read leases a plan has all but this one order.
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

/** Pods that a PodDisruptionBudget would keep on their nodes now. Asks only for pods of budgets that allow no disruption. */
async function gatherBlocked(client: Client, signal: AbortSignal): Promise<BlockedNode[]> {
  const { items } = await client.list(kinds.podDisruptionBudget, { signal });
  const found: BlockedNode[] = [];
  for (const { metadata, spec, status } of items) {
    const labelSelector = spec?.selector && formatLabelSelector(fromLabelSelector(spec.selector));
    if (!status || status.disruptionsAllowed > 0 || labelSelector === undefined) continue;
    const { namespace = "", name = "" } = metadata;
    const pods = await client.list(kinds.pod, { namespace, labelSelector, signal });
    for (const pod of pods.items)
      if (pod.spec?.nodeName && isEvictable(pod) && pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed")
        found.push({
          node: pod.spec.nodeName,
          pod: `${namespace}/${pod.metadata.name}`,
          budgets: [`${namespace}/${name}`],
          message: "",
        });
  }
  return found;
}
