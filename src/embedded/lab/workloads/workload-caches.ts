import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { createInformer, type InformerOptions } from "../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { withoutManagedFields } from "../../../language/patch/managed-fields.ts";
import { controllerOf } from "./pods/controller-of.ts";
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  Job,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  StatefulSet,
} from "./workload-objects.ts";

/** What the controllers of workloads read instead of the server: one informer a kind, shared by all of them. */
export interface WorkloadCaches {
  pods: Informer<Pod>;
  nodes: Informer<Node>;
  deployments: Informer<Deployment>;
  replicaSets: Informer<ReplicaSet>;
  statefulSets: Informer<StatefulSet>;
  daemonSets: Informer<DaemonSet>;
  jobs: Informer<Job>;
  controllerRevisions: Informer<ControllerRevision>;
  persistentVolumeClaims: Informer<PersistentVolumeClaim>;
  podDisruptionBudgets: Informer<PodDisruptionBudget>;
}

/** By the uid of the controller that owns it. Every namespaced kind has this one. */
export const byController = "controller";
/** By namespace, only what no controller owns: the candidates for adoption. */
export const orphansOf = "orphan";
export const byNamespace = "namespace";
/** Pods by the name of their node; "" for those without. */
export const byNode = "node";

export const ownerIndexes = {
  [byController]: (object: KubeObject): string[] => {
    const controller = controllerOf(object);
    return controller ? [controller.uid] : [];
  },
  [orphansOf]: (object: KubeObject): string[] => (controllerOf(object) ? [] : [object.metadata.namespace ?? ""]),
  [byNamespace]: (object: KubeObject): string[] => [object.metadata.namespace ?? ""],
};

/** What kubelets read too. */
export type NodeCaches = Pick<WorkloadCaches, "pods" | "nodes">;

export type CacheOptions = Pick<InformerOptions<KubeObject>, "clock" | "freeze" | "onHandlerError">;

/**
 * How all of them are read. Nobody here asks who owns a field, and that list is as large as all the rest. A server that was
 * away for seconds must not be missed for half a minute: its nodes would fall silent.
 */
export const reading = { project: withoutManagedFields, backoff: { maxMs: 5000 } };

export function createNodeCaches(client: Client, options: CacheOptions = {}): NodeCaches {
  const indexes = { ...ownerIndexes, [byNode]: (pod: Pod) => [pod.spec?.nodeName ?? ""] };
  return {
    pods: createInformer(client, kinds.pod, { ...options, ...reading, indexes }),
    nodes: createInformer(client, kinds.node, { ...options, ...reading }),
  };
}

export function createWorkloadCaches(
  client: Client,
  options: CacheOptions = {},
  shared = createNodeCaches(client, options),
): WorkloadCaches {
  const indexed = { ...options, ...reading, indexes: ownerIndexes };
  return {
    ...shared,
    deployments: createInformer(client, kinds.deployment, indexed),
    replicaSets: createInformer(client, kinds.replicaSet, indexed),
    statefulSets: createInformer(client, kinds.statefulSet, indexed),
    daemonSets: createInformer(client, kinds.daemonSet, indexed),
    jobs: createInformer(client, kinds.job, indexed),
    controllerRevisions: createInformer<ControllerRevision>(client, kinds.controllerRevision, indexed),
    persistentVolumeClaims: createInformer(client, kinds.persistentVolumeClaim, indexed),
    podDisruptionBudgets: createInformer(client, kinds.podDisruptionBudget, indexed),
  };
}

/** Keeps all of them until the signal. */
export async function runWorkloadCaches(caches: WorkloadCaches, signal: AbortSignal): Promise<void> {
  await Promise.all(Object.values(caches).map((informer: Informer) => informer.run(signal)));
}
