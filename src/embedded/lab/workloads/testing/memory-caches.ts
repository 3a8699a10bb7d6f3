import type { Informer } from "../../../../cluster/kube/cache.ts";
import type { KindRef } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { byNode, ownerIndexes, type WorkloadCaches } from "../workload-caches.ts";
import type { Pod } from "../workload-objects.ts";
import type { MemoryCluster } from "./memory-cluster.ts";

/** The caches that controllers share, on a cluster in memory. */
export function memoryCaches(cluster: MemoryCluster): WorkloadCaches {
  const of = <T extends KubeObject>(kind: KindRef<T>): Informer<T> => cluster.informer(kind, ownerIndexes);
  return {
    pods: cluster.informer(kinds.pod, { ...ownerIndexes, [byNode]: (pod: Pod) => [pod.spec?.nodeName ?? ""] }),
    nodes: of(kinds.node),
    deployments: of(kinds.deployment),
    replicaSets: of(kinds.replicaSet),
    replicationControllers: of(kinds.replicationController) as never,
    statefulSets: of(kinds.statefulSet),
    daemonSets: of(kinds.daemonSet),
    cronJobs: of(kinds.cronJob),
    jobs: of(kinds.job),
    controllerRevisions: of(kinds.controllerRevision),
    persistentVolumeClaims: of(kinds.persistentVolumeClaim),
    podDisruptionBudgets: of(kinds.podDisruptionBudget),
  };
}
