import { kinds } from "../../../../cluster/kube/kinds.ts";
import { type MachineConfig, machineConfigKind } from "../../../../domain/machine-config/api.ts";
import {
  type Profile,
  profileKind,
  type Tuned,
  tunedKind,
  tuningNamespace,
} from "../../../../domain/node-tuning/api.ts";
import { type PerformanceProfile, performanceProfileKind } from "../../../../domain/performance-profile/api.ts";
import type { RolloutNode } from "../../../../domain/rollout/rollout-node.ts";
import { labelValue } from "../../../../domain/scylla/label-value.ts";
import { nodeLabel, tuningNamespace as scyllaNamespace } from "../../../../domain/scylla/names.ts";
import type { KubeObject, ObjectMeta } from "../../../../language/object/meta.ts";
import type { CacheDefinition } from "../../user-caches.ts";

export const tunedCache: CacheDefinition<Tuned> = {
  kind: tunedKind,
  namespace: tuningNamespace,
  project: withoutHistory,
};

/** Boot arguments alone: files of MachineConfigs may be confidential. */
export const bootConfigCache: CacheDefinition<MachineConfig> = {
  kind: machineConfigKind,
  project: ({ apiVersion, kind, metadata: { name, labels, annotations }, spec }) => ({
    apiVersion,
    kind,
    metadata: { name, labels, annotations },
    spec: { kernelArguments: spec?.kernelArguments ?? null },
  }),
};

export const performanceProfileCache: CacheDefinition<PerformanceProfile> = {
  kind: performanceProfileKind,
  project: withoutHistory,
};

/** One Node, with what profiles may ask of it. */
export function wholeNode(name: string): CacheDefinition<RolloutNode> {
  return {
    kind: kinds.node,
    fieldSelector: `metadata.name=${name}`,
    project: (node) => {
      const { status, ...kept } = withoutHistory(node);
      const { conditions, nodeInfo } = status ?? {};
      return { ...kept, status: { ...(conditions ? { conditions } : {}), ...(nodeInfo ? { nodeInfo } : {}) } };
    },
  };
}

/** One Profile, with the reports of its agent. */
export function wholeProfile(name: string): CacheDefinition<Profile> {
  return {
    kind: profileKind,
    namespace: tuningNamespace,
    fieldSelector: `metadata.name=${name}`,
    project: withoutHistory,
  };
}

/** Labels of the pods on a node: rules may match them. */
export function podLabels(node: string): CacheDefinition<KubeObject> {
  return {
    kind: kinds.pod,
    fieldSelector: `spec.nodeName=${node}`,
    project: ({ apiVersion, kind, metadata: { name, namespace, labels } }) => ({
      apiVersion,
      kind,
      metadata: { name, namespace, labels },
    }),
  };
}

/** Jobs that tuned the node for databases. */
export function tuningJobs(node: string): CacheDefinition<KubeObject> {
  return {
    kind: kinds.job,
    namespace: scyllaNamespace,
    labelSelector: `${nodeLabel}=${labelValue(node)}`,
    project: ({ spec: _, ...job }: KubeObject & { spec?: unknown }) => withoutHistory(job),
  };
}

function withoutHistory<T extends { metadata: ObjectMeta }>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
