import type { ContainerRow, PartitioningRow } from "../../../../console/protocol/workloads.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { type PerformanceProfile, performanceProfileKind } from "../../../domain/performance-profile/api.ts";
import { printable } from "../../../domain/rollout/node-annotations.ts";
import {
  type AdmissionDecision,
  decisionOfPod,
  decisionOfRefusal,
} from "../../../domain/admission-log/admission-decision.ts";
import {
  infrastructureKind,
  partitioningConfigMap,
  partitioningStatus,
} from "../../../domain/workload-partitioning/identifier.ts";
import {
  resourcesPrefix,
  sourceAnnotation,
  targetPrefix,
  mirrorAnnotation,
  warningAnnotation,
  mixedCpus,
} from "../../../domain/workload-partitioning/names.ts";
import { explainPod } from "../../../domain/workload-partitioning/pod/explain-pod.ts";
import { refusedReason } from "../../../domain/workload-partitioning/refusal-event.ts";
import { at, isObject, text } from "../../../language/object/json.ts";
import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import type { CacheDefinition } from "../user-caches.ts";
import type { TopicContext } from "./topic-context.ts";

const infrastructureCache: CacheDefinition<KubeObject> = {
  kind: infrastructureKind,
  fieldSelector: "metadata.name=cluster",
};
const configMapCache: CacheDefinition<KubeObject> = {
  kind: kinds.configMap,
  namespace: partitioningConfigMap.namespace,
  fieldSelector: `metadata.name=${partitioningConfigMap.name}`,
};
const refusalCache: CacheDefinition<KubeObject> = { kind: kinds.event, fieldSelector: `reason=${refusedReason}` };
const podCache: CacheDefinition<KubeObject> = { kind: kinds.pod, project: projectPod };
const profileCache: CacheDefinition<PerformanceProfile> = {
  kind: performanceProfileKind,
  project: ({ apiVersion, kind, metadata: { name }, spec }) => ({
    apiVersion,
    kind,
    metadata: { name },
    spec: { cpu: { reserved: spec?.cpu?.reserved }, nodeSelector: spec?.nodeSelector } as PerformanceProfile["spec"] &
      object,
  }),
};
const sizeCache: CacheDefinition<KubeObject> = {
  kind: kinds.node,
  project: ({ apiVersion, kind, metadata: { name, labels }, ...node }) => ({
    apiVersion,
    kind,
    metadata: { name, ...(labels ? { labels } : {}) },
    status: { capacity: { cpu: at(node, "status", "capacity", "cpu") } },
  }),
};

/** So many decisions are held, the newest. */
const most = 1000;

/** The mode of the cluster, and what admission decided. */
export function openPartitioning(context: TopicContext<"partitioning">): void {
  const infrastructures = context.cache(infrastructureCache);
  const configMaps = context.cache(configMapCache);
  const refusals = context.cache(refusalCache);
  const pods = context.cache(podCache);
  context.follow([infrastructures, configMaps, refusals, pods], () => {
    const { mode, state } = partitioningStatus(infrastructures.list()[0] ?? configMaps.list()[0]);
    const made = pods.list().flatMap((pod): [string, AdmissionDecision][] => {
      const decision = decisionOfPod(pod);
      // Where pods are not divided, one that asks is left as it is, and nothing is wrong with that.
      const isQuiet = mode === "None" && decision?.outcome === "passed";
      return decision && !isQuiet ? [[`pod/${pod.metadata.uid}`, decision]] : [];
    });
    const refused = refusals.list().flatMap((event): [string, AdmissionDecision][] => {
      const decision = decisionOfRefusal(event);
      return decision ? [[`event/${event.metadata.uid}`, decision]] : [];
    });
    const platform = made.filter(([, { outcome }]) => outcome === "rewritten");
    const nodes = [...new Set(platform.map(([, { node }]) => node))].filter((node) => node !== "").toSorted();
    const newest = [...made, ...refused]
      .toSorted(([, a], [, b]) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
      .slice(0, most)
      .map(([key, decision]): [string, PartitioningRow] => [key, { decision }]);
    const cluster = { mode, state, platformPods: platform.length, nodes };
    context.replace(new Map<string, PartitioningRow>([["cluster", { cluster }], ...newest]));
  });
}

/** The containers of the platform on one node, and the CPUs that are known of them. */
export function openContainers(context: TopicContext<"containers/">): void {
  const { argument: node } = context;
  const pods = context.cache(podCache);
  const sizes = context.cache(sizeCache);
  const profiles = context.cache(profileCache);
  context.follow([pods, sizes, profiles], () => {
    const found = sizes.get(node);
    const reserved = found && reservedBy(found, profiles.list());
    const of = Number(text(at(found, "status", "capacity", "cpu"))) || 0;
    const rows = new Map<string, ContainerRow>();
    for (const pod of pods.list()) {
      if (text(at(pod, "spec", "nodeName")) !== node) continue;
      const { outcome, containers } = explainPod(pod);
      if (outcome !== "rewritten") continue;
      for (const { container, cpu } of containers)
        rows.set(`${keyOf(pod)}/${container}`, {
          pod: keyOf(pod),
          container: printable(container, 100),
          cpu: printable(cpu, 100),
          cpus: printable(reserved?.cpus ?? "", 500),
          of,
          from: reserved?.from ?? "",
        });
    }
    context.replace(rows);
  });
}

/** The PerformanceProfile of a node says which CPUs are reserved. */
function reservedBy(
  node: KubeObject,
  profiles: readonly PerformanceProfile[],
): { cpus: string; from: string } | undefined {
  const labels = node.metadata.labels ?? {};
  const profile = profiles.find(({ spec }) => {
    const wanted = Object.entries(spec?.nodeSelector ?? {});
    return wanted.length > 0 && wanted.every(([label, value]) => labels[label] === value);
  });
  const cpus = profile?.spec?.cpu?.reserved;
  return cpus === undefined ? undefined : { cpus, from: `PerformanceProfile ${profile?.metadata.name}` };
}

const told = [
  targetPrefix,
  resourcesPrefix,
  mixedCpus.runtimePrefix,
  warningAnnotation,
  mirrorAnnotation,
  sourceAnnotation,
];

/** Pods that admission did something with, without what it does not read: clusters have many others. */
function projectPod(pod: KubeObject): KubeObject | undefined {
  const { apiVersion, kind, metadata } = pod;
  const { name, namespace, uid, creationTimestamp } = metadata;
  const annotations = Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(([key]) => told.some((one) => key.startsWith(one))),
  );
  const isTold = Object.keys(annotations).some((key) => key !== mirrorAnnotation && key !== sourceAnnotation);
  if (!isTold) return undefined;
  const sized = (list: unknown): unknown =>
    Array.isArray(list)
      ? list.filter(isObject).map((container) => ({ name: container["name"], resources: container["resources"] }))
      : undefined;
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, creationTimestamp, annotations },
    spec: {
      nodeName: at(pod, "spec", "nodeName"),
      containers: sized(at(pod, "spec", "containers")),
      initContainers: sized(at(pod, "spec", "initContainers")),
    },
  };
}
