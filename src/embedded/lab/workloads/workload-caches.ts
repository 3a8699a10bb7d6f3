import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { createInformer, type InformerOptions } from "../../../cluster/kube/informer/informer.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { withoutManagedFields } from "../../../language/patch/managed-fields.ts";
import { controllerOf } from "./pods/controller-of.ts";
import type {
  ControllerRevision,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "./workload-objects.ts";

/** The caches of the workload controllers: one informer for each kind, shared by all of them. */
export interface WorkloadCaches {
  pods: Informer<Pod>;
  nodes: Informer<Node>;
  deployments: Informer<Deployment>;
  replicaSets: Informer<ReplicaSet>;
  /** In the form of ReplicaSets. */
  replicationControllers: Informer<ReplicaSet>;
  statefulSets: Informer<StatefulSet>;
  daemonSets: Informer<DaemonSet>;
  cronJobs: Informer<CronJob>;
  jobs: Informer<Job>;
  controllerRevisions: Informer<ControllerRevision>;
  persistentVolumeClaims: Informer<PersistentVolumeClaim>;
  podDisruptionBudgets: Informer<PodDisruptionBudget>;
}

/** By the uid of the owning controller. All namespaced kinds have this index. */
export const byController = "controller";
/** By namespace, only objects without a controller: the candidates for adoption. */
export const orphansOf = "orphan";
export const byNamespace = "namespace";
/** Pods by the name of their node; "" for pods without one. */
export const byNode = "node";

export const ownerIndexes = {
  [byController]: (object: KubeObject): string[] => {
    const controller = controllerOf(object);
    return controller ? [controller.uid] : [];
  },
  [orphansOf]: (object: KubeObject): string[] => (controllerOf(object) ? [] : [object.metadata.namespace ?? ""]),
  [byNamespace]: (object: KubeObject): string[] => [object.metadata.namespace ?? ""],
};

/** The caches that kubelets use too. */
export type NodeCaches = Pick<WorkloadCaches, "pods" | "nodes">;

export type CacheOptions = Pick<InformerOptions<KubeObject>, "clock" | "freeze" | "onHandlerError">;

/**
 * Options of all caches. Managed fields are dropped: no controller reads them, and they are half of an object's size. The
 * backoff is short: with the default of half a minute, nodes would count as silent after an outage of seconds.
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
    replicationControllers: createInformer(client, kinds.replicationController, {
      ...indexed,
      project: (object) => asReplicaSet(withoutManagedFields(object)),
    }),
    statefulSets: createInformer(client, kinds.statefulSet, indexed),
    daemonSets: createInformer(client, kinds.daemonSet, indexed),
    cronJobs: createInformer(client, kinds.cronJob, indexed),
    jobs: createInformer(client, kinds.job, indexed),
    controllerRevisions: createInformer<ControllerRevision>(client, kinds.controllerRevision, indexed),
    persistentVolumeClaims: createInformer(client, kinds.persistentVolumeClaim, indexed),
    podDisruptionBudgets: createInformer(client, kinds.podDisruptionBudget, indexed),
  };
}

/** A ReplicationController differs from a ReplicaSet only in its selector, which is a map of labels. */
export function asReplicaSet({ spec, status, ...object }: ReplicationController): ReplicaSet {
  const selector = { matchLabels: spec?.selector ?? {} };
  return { ...object, spec: { ...spec, selector }, ...(status ? { status } : {}) };
}

/** Runs all caches until the signal. */
export async function runWorkloadCaches(caches: WorkloadCaches, signal: AbortSignal): Promise<void> {
  await Promise.all(Object.values(caches).map((informer: Informer) => informer.run(signal)));
}
