import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { systemClock } from "../../../cluster/runtime/clock.ts";
import type { ConfigMap } from "../../../domain/hosted/envelope/read-manifests.ts";
import { isOrder, readOrder } from "../../../domain/hosted/handover/pool-order.ts";
import { isReport, readReport } from "../../../domain/hosted/handover/pool-report.ts";
import { HostedTuning } from "../../../domain/hosted/hosted-tuning.ts";
import { PoolMembers } from "../../../domain/hosted/mirror/pool-members.ts";
import { nodePoolOf } from "../../../domain/hosted/protocol.ts";
import {
  controlPlaneNamespace,
  type HostedCluster,
  hostedClusterKind,
  type NodePool,
  nodePoolKind,
} from "../../../domain/node-pool/api.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { judge } from "../../../domain/node-tuning/judge.ts";
import { type Condition, findCondition, isTrue } from "../../../language/object/condition.ts";
import { gatherNodeTuning } from "../../gather/gather-node-tuning.ts";
import { type ClusterState, type Hosts, nodeOutcomes } from "./convergence.ts";
import { clustersNamespace, hostedClusterName } from "./hosted-example.ts";
import type { PoolOutcome } from "./pool-outcome.ts";

export interface HostedRead {
  readonly management: Client;
  readonly hosted: Client;
  /** Of nodes of the hosted cluster. */
  readonly hosts: Hosts;
  readonly signal: AbortSignal;
}

/** NodePools of the management cluster, and nodes of the hosted one. */
export async function readHosted({ management, hosted, hosts, signal }: HostedRead): Promise<ClusterState> {
  const controlPlane = controlPlaneNamespace(clustersNamespace, hostedClusterName);
  const [clusters, nodePools, { items }] = await Promise.all([
    management.list(hostedClusterKind, { namespace: clustersNamespace, signal }),
    management.list(nodePoolKind, { namespace: clustersNamespace, signal }),
    management.list(kinds.configMap, { namespace: controlPlane, signal }),
  ]);
  const configMaps = items as ConfigMap[];
  const pools = nodePools.items.map((nodePool) => nodePoolOutcome(nodePool, clusters.items, configMaps));
  return { nodes: await readNodes({ hosted, hosts, configMaps, signal }), pools };
}

async function readNodes({
  hosted,
  hosts,
  configMaps,
  signal,
}: Pick<HostedRead, "hosted" | "hosts" | "signal"> & {
  readonly configMaps: readonly ConfigMap[];
}): Promise<ClusterState["nodes"]> {
  const namespace = tuningNamespace;
  const hasKinds = await isServed(hosted, signal);
  if (!hasKinds) return nodeOutcomes(hosts, [], []);
  const { tuning, profiles } = await gatherNodeTuning({ client: hosted, namespace, now: systemClock.now(), signal });
  const origin = new HostedTuning({ namespace, members: new PoolMembers(), problems: () => {} });
  const { mirrored } = origin.read(tuning, configMaps);
  const judgements = (mirrored?.scopes ?? []).map((scope) => judge({ ...tuning, ...scope, scope: scope.name }));
  return nodeOutcomes(hosts, profiles, judgements);
}

/** The management side installs them. */
async function isServed(hosted: Client, signal: AbortSignal): Promise<boolean> {
  const { items } = await hosted.list(kinds.customResourceDefinition, { signal });
  return items.some(({ metadata }) => metadata.name === "profiles.tuned.openshift.io");
}

function nodePoolOutcome(
  nodePool: NodePool,
  clusters: readonly HostedCluster[],
  configMaps: readonly ConfigMap[],
): PoolOutcome {
  const { name = "" } = nodePool.metadata;
  const own = configMaps.filter((one) => nodePoolOf(one) === name);
  const [order] = own.filter(isOrder).map(readOrder);
  const [report] = own.filter(isReport).map(readReport);
  const target = order?.type === "read" ? order.value.target.full : "";
  const counts = report?.type === "read" ? report.value.counts : { total: 0, updated: 0 };
  const isReported = report?.type === "read" && target !== "" && report.value.target === target;
  const isInPlace = nodePool.spec?.management?.upgradeType === "InPlace";
  const { replicas = 0 } = nodePool.status ?? {};
  const cluster = clusters.find(({ metadata }) => metadata.name === nodePool.spec?.clusterName);
  return {
    pool: name,
    nodes: isInPlace ? counts.total : replicas,
    updated: isInPlace ? counts.updated : isTrue(nodePool.status?.conditions, "UpdatingConfig") ? 0 : replicas,
    config: target,
    waitsFor:
      clusterWaits(cluster) ??
      poolWaits(nodePool) ??
      (isReported || !isInPlace ? undefined : "the operator of the hosted cluster to report"),
  };
}

function clusterWaits(cluster: HostedCluster | undefined): string | undefined {
  if (!cluster) return "its HostedCluster";
  const condition = findCondition(cluster.status?.conditions ?? [], "NodeTuningAvailable");
  if (!condition) return "the management side";
  return condition.status === "True" ? undefined : condition.message || "the operator of the hosted cluster";
}

/** Conditions that say what is missing while they have this status. */
const telling: readonly { readonly type: string; readonly status: Condition["status"] }[] = [
  { type: "ValidTuningConfig", status: "False" },
  { type: "ValidMachineConfig", status: "False" },
  { type: "BootArgumentsAgreed", status: "False" },
  { type: "HostedClusterWritable", status: "False" },
  { type: "ValidGeneratedPayload", status: "False" },
  { type: "NoMachineProvider", status: "True" },
  { type: "PerformanceProfileAppliedSuccessfully", status: "False" },
  { type: "UpdatingConfig", status: "True" },
];

function poolWaits({ metadata, status }: NodePool): string | undefined {
  const { conditions = [] } = status ?? {};
  if (findCondition(conditions, "ValidTuningConfig")?.observedGeneration !== metadata.generation)
    return "the management side";
  for (const { type, status: wanted } of telling) {
    const found = findCondition(conditions, type);
    if (found?.status === wanted) return found.message || found.reason || type;
  }
  const failed = findCondition(conditions, "UpdatingConfig");
  return failed?.reason === "InplaceUpgradeFailed" ? failed.message : undefined;
}
