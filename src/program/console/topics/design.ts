import type { DesignRow, TopicRows } from "../../../../console/protocol/topics.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { KindRef } from "../../../cluster/kube/client.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import {
  containerRuntimeConfigKind,
  kubeletConfigKind,
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
} from "../../../domain/machine-config/api.ts";
import { machineConfigurationKind } from "../../../domain/machine-config/cost/disruption-policy.ts";
import { Pools } from "../../../domain/machine-config/pools.ts";
import { poolOfRendering } from "../../../domain/machine-config/rendered-annotations.ts";
import { profileKind, tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import {
  type PerformanceProfile,
  performanceProfileKind,
  runtimeClassKind,
} from "../../../domain/performance-profile/api.ts";
import { featureGateKind } from "../../../domain/performance-profile/mixed-cpus-allowed.ts";
import { poolFor } from "../../../domain/performance-profile/pools.ts";
import { previewObject } from "../../../domain/plan/preview-objects.ts";
import { infrastructureKind, partitioningConfigMap } from "../../../domain/workload-partitioning/identifier.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { clusterFeatures, rollsOut } from "../../operator/cluster-features.ts";
import type { CacheDefinition } from "../user-caches.ts";
import { poolCache } from "./fleet-caches.ts";
import type { TopicContext } from "./topic-context.ts";

function previewed(
  kind: KindRef,
  of: Pick<CacheDefinition<KubeObject>, "namespace" | "fieldSelector"> = {},
): CacheDefinition<KubeObject> {
  return { kind, ...of, project: previewObject };
}

const nodeCache = previewed(kinds.node);
const profileCache = previewed(profileKind, { namespace: tuningNamespace });
const configCache: CacheDefinition<MachineConfig> = { kind: machineConfigKind, project: previewObject };
const performanceProfileCache: CacheDefinition<PerformanceProfile> = {
  kind: performanceProfileKind,
  project: previewObject,
};
const otherCaches = [
  previewed(tunedKind, { namespace: tuningNamespace }),
  previewed(kubeletConfigKind),
  previewed(containerRuntimeConfigKind),
  previewed(runtimeClassKind),
  previewed(machineConfigurationKind),
  previewed(featureGateKind, { fieldSelector: "metadata.name=cluster" }),
  previewed(infrastructureKind, { fieldSelector: "metadata.name=cluster" }),
  previewed(kinds.configMap, {
    namespace: partitioningConfigMap.namespace,
    fieldSelector: `metadata.name=${partitioningConfigMap.name}`,
  }),
];

/** Pools and PerformanceProfiles to choose from. */
export function openDesigns(context: TopicContext<"designs">): void {
  const pools = context.cache(poolCache);
  const profiles = context.cache(performanceProfileCache);
  const nodes = context.cache(nodeCache);
  context.follow([pools, profiles, nodes], () => {
    const known = new Pools(pools.list());
    const counts = new Map<string, number>(pools.list().map(({ metadata }) => [metadata.name ?? "", 0]));
    for (const { metadata } of nodes.list()) {
      const [pool] = known.ofNode(metadata.labels ?? {});
      if (pool !== undefined) counts.set(pool, (counts.get(pool) ?? 0) + 1);
    }
    const divided = new Map<string, string>();
    for (const { metadata, spec } of profiles.list()) {
      const found = poolFor(spec?.nodeSelector ?? {}, pools.list());
      if (found.type === "pool") divided.set(found.pool.metadata.name ?? "", metadata.name ?? "");
    }
    const rows = new Map<string, TopicRows["designs"]>();
    for (const [name, nodes] of counts) {
      const profile = divided.get(name);
      rows.set(`pool/${name}`, { nodes, ...(profile === undefined ? {} : { divided: profile }) });
    }
    for (const profile of profiles.list()) rows.set(`profile/${profile.metadata.name}`, { profile });
    context.replace(rows);
  });
}

/** What a preview of a profile for one pool depends on: the page computes it. */
export function openDesign(context: TopicContext<"design/">): void {
  const pools = context.cache(poolCache);
  const nodes = context.cache(nodeCache);
  const profiles = context.cache(profileCache);
  const configs = context.cache(configCache);
  const others = [context.cache(performanceProfileCache), ...otherCaches.map((one) => context.cache(one))];
  let isOurs: boolean | undefined;
  context.setSource("discovery", { state: "loading" });
  const discover = async (): Promise<void> => {
    try {
      isOurs = rollsOut(await clusterFeatures(context.client, context.signal));
      context.setSource("discovery", { state: "ready" });
    } catch (error) {
      if (!context.signal.aborted) context.setSource("discovery", { state: "failed", message: errorText(error) });
    }
  };
  void discover();
  context.follow([pools, nodes, profiles, configs, ...others], () => {
    const members = membersOf(context.argument, pools.list(), nodes.list());
    const names = new Set(members.map(({ metadata }) => metadata.name));
    const objects = [
      ...pools.list(),
      ...members,
      ...profiles.list().filter(({ metadata }) => names.has(metadata.name)),
      // Of nodes that have a rendered config it is assumed that they have what their pool wants.
      ...configs.list().filter((config) => poolOfRendering(config) === undefined),
      ...others.flatMap((cache) => cache.list()),
    ];
    const rows = objects.map((object): [string, DesignRow] => [
      `${object.kind}/${object.metadata.namespace ?? ""}/${object.metadata.name}`,
      { object },
    ]);
    const facts = { hasPools: pools.synced, rollsOut: isOurs === true };
    context.replace(new Map([...rows, ["cluster", { facts }]]));
  });
}

/** Of a cluster without pools all nodes are offered. */
function membersOf(
  pool: string,
  pools: readonly MachineConfigPool[],
  nodes: readonly KubeObject[],
): readonly KubeObject[] {
  if (pools.length === 0) return nodes;
  const known = new Pools(pools);
  return nodes.filter(({ metadata }) => known.ofNode(metadata.labels ?? {})[0] === pool);
}
