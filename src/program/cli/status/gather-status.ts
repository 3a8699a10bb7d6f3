import { ifThere, isForbidden } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { leaseKind } from "../../../cluster/runtime/leader/lease.ts";
import { machineConfigPoolKind } from "../../../domain/machine-config/api.ts";
import { nodePoolKind } from "../../../domain/node-pool/api.ts";
import { type AgentDaemonSet, agentDaemonSetName } from "../../../domain/node-tuning/agent-daemon-set.ts";
import { profileKind, type Tuned, tunedKind } from "../../../domain/node-tuning/api.ts";
import { clusterOperatorKind } from "../../../domain/node-tuning/node-tuning-controller.ts";
import { clusterOperatorName } from "../../../domain/node-tuning/status/operator-status.ts";
import { statusBefore, statusConfigMapName } from "../../../domain/node-tuning/status/operator-status-object.ts";
import { performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { projectRolloutNode, type RolloutNode } from "../../../domain/rollout/rollout-node.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { operatorLease } from "../../operator/rbac.ts";
import { webhookName } from "../../webhook/names.ts";
import { configurationName } from "../../webhook/registration.ts";
import type { StatusObjects } from "./status-report.ts";
import type { DeploymentFacts, Read, SystemObjects } from "./system-health.ts";

export interface StatusSource {
  readonly client: Client;
  /** Of Tuneds, Profiles, agents, and the operator's Lease. */
  readonly namespace: string;
  /** Of the webhook. */
  readonly system: string;
  readonly signal: AbortSignal;
}

/** Everything, once. */
export async function gatherStatus(source: StatusSource): Promise<StatusObjects> {
  const { client, namespace, signal } = source;
  const [nodes, profiles, pools, performanceProfiles, rest] = await Promise.all([
    client.list(kinds.node, { signal }),
    ifThere(client.list(profileKind, { namespace, signal })),
    optional(client, machineConfigPoolKind, signal),
    optional(client, performanceProfileKind, signal),
    gatherRest(source),
  ]);
  return {
    nodes: nodes.items.map((node) => projectRolloutNode(node as unknown as RolloutNode)),
    profiles: profiles?.items,
    pools,
    performanceProfiles,
    ...rest,
  };
}

/** What changes rarely, and is small. */
export async function gatherRest(
  source: StatusSource,
): Promise<Pick<StatusObjects, "nodePools" | "system" | "managementState">> {
  const { client, namespace, signal } = source;
  const [nodePools, system, tuned] = await Promise.all([
    optional(client, nodePoolKind, signal),
    gatherSystem(source),
    readable(client.get(tunedKind, "default", { namespace, signal })),
  ]);
  return { nodePools, system, managementState: stateOf(tuned) };
}

function stateOf(tuned: Read<Tuned>): StatusObjects["managementState"] {
  const state = typeof tuned === "object" ? tuned.spec?.managementState : undefined;
  return state === "Unmanaged" || state === "Removed" ? state : "Managed";
}

/** None where the cluster has no such kind, or the user may not list it. */
export async function optional<T extends KubeObject>(
  client: Client,
  kind: KindRef<T>,
  signal: AbortSignal,
): Promise<readonly T[]> {
  const list = await readable(client.list(kind, { signal }));
  return typeof list === "object" ? list.items : [];
}

async function gatherSystem({ client, namespace, system, signal }: StatusSource): Promise<SystemObjects> {
  const [lease, clusterOperator, configMap, daemonSet, deployment, mutating, validating] = await Promise.all([
    readable(client.get(leaseKind, operatorLease, { namespace, signal })),
    readable(client.get(clusterOperatorKind, clusterOperatorName, { signal })),
    readable(client.get(kinds.configMap, statusConfigMapName, { namespace, signal })),
    readable(client.get(kinds.daemonSet, agentDaemonSetName, { namespace, signal })),
    readable(client.get(kinds.deployment, webhookName, { namespace: system, signal })),
    readable(client.get(kinds.mutatingWebhookConfiguration, configurationName, { signal })),
    readable(client.get(kinds.validatingWebhookConfiguration, configurationName, { signal })),
  ]);
  const status =
    typeof clusterOperator === "object"
      ? statusBefore({ type: "ClusterOperator", observed: clusterOperator })
      : typeof configMap === "object"
        ? statusBefore({ type: "ConfigMap", observed: configMap as unknown as KubeObject })
        : undefined;
  return {
    lease,
    conditions: status?.conditions ?? (configMap === "forbidden" ? configMap : undefined),
    daemonSet: daemonSet as Read<AgentDaemonSet>,
    webhookDeployment: factsOf(deployment),
    webhooks:
      mutating === "forbidden" || validating === "forbidden"
        ? "forbidden"
        : (mutating?.webhooks?.length ?? 0) + (validating?.webhooks?.length ?? 0),
  };
}

function factsOf(
  deployment: Read<{
    readonly spec?: { readonly replicas?: number };
    readonly status?: { readonly readyReplicas?: number };
  }>,
): Read<DeploymentFacts> {
  if (typeof deployment !== "object") return deployment;
  return { wanted: deployment.spec?.replicas ?? 1, ready: deployment.status?.readyReplicas ?? 0 };
}

/** Users may read some of it only: the rest of the report is still useful to them. */
async function readable<T>(answer: Promise<T>): Promise<Read<T>> {
  try {
    return await ifThere(answer);
  } catch (error) {
    if (isForbidden(error)) return "forbidden";
    throw error;
  }
}
