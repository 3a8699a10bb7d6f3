import type { Informer } from "../../../kube/cache.ts";
import type { KindRef } from "../../../kube/client.ts";
import { kinds } from "../../../kube/kinds.ts";
import type { KubeObject } from "../../../object/meta.ts";
import { controllerOf } from "../pods/controller-of.ts";
import { byController, byNamespace, byNode, orphansOf, type WorkloadCaches } from "../workload-caches.ts";
import type { Pod } from "../workload-objects.ts";
import type { MemoryCluster } from "./memory-cluster.ts";

/** The caches that controllers share, on a cluster in memory. */
export function memoryCaches(cluster: MemoryCluster): WorkloadCaches {
  const indexes = {
    [byController]: (object: KubeObject): string[] => {
      const controller = controllerOf(object);
      return controller ? [controller.uid] : [];
    },
    [orphansOf]: (object: KubeObject): string[] => (controllerOf(object) ? [] : [object.metadata.namespace ?? ""]),
    [byNamespace]: (object: KubeObject): string[] => [object.metadata.namespace ?? ""],
  };
  const of = <T extends KubeObject>(kind: KindRef<T>): Informer<T> => cluster.informer(kind, indexes);
  return {
    pods: cluster.informer(kinds.pod, { ...indexes, [byNode]: (pod: Pod) => [pod.spec?.nodeName ?? ""] }),
    nodes: of(kinds.node),
    deployments: of(kinds.deployment),
    replicaSets: of(kinds.replicaSet),
    statefulSets: of(kinds.statefulSet),
    daemonSets: of(kinds.daemonSet),
    jobs: of(kinds.job),
    controllerRevisions: of(kinds.controllerRevision),
    persistentVolumeClaims: of(kinds.persistentVolumeClaim),
    podDisruptionBudgets: of(kinds.podDisruptionBudget),
  };
}
