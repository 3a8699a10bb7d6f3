import { setMaxListeners } from "node:events";
import type { Client } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { machineConfigKind, machineConfigPoolKind } from "../../domain/machine-config/api.ts";
import { type Profile, profileKind, type Tuned, tunedKind, tuningNamespace } from "../../domain/node-tuning/api.ts";
import type { KnownTuneds } from "../../domain/node-tuning/tuned-findings.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";
import { performanceProfileKind } from "../../domain/performance-profile/api.ts";
import { featureGateKind } from "../../domain/performance-profile/mixed-cpus-allowed.ts";
import type { ClusterObjects } from "../../domain/performance-profile/surroundings.ts";
import {
  projectMachineConfig,
  projectNode,
  projectPerformanceProfile,
  projectPool,
  projectProfile,
} from "../../domain/performance-profile/projections.ts";
import { infrastructureKind, partitioningConfigMap } from "../../domain/workload-partitioning/identifier.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { NodeCores, PartitioningView } from "../../domain/workload-partitioning/view.ts";
import { OptionalCache } from "./optional-cache.ts";
import { coresOfNode, partitioningView, projectNamespace } from "./partitioning/partitioning-view.ts";

/** The objects of the cluster that handlers answer from. It runs as long as the webhook does. */
export interface ClusterView {
  readonly name: string;
  /** Undefined until all caches have synced. */
  objects(): ClusterObjects | undefined;
  /** What a Tuned is judged by. Undefined until all caches have synced. */
  tuneds(): KnownTuneds | undefined;
  /** What admission of pods and nodes knows, for a request in this namespace. Waits a little for what it does not know. */
  readonly partitioning: (namespace: string) => Promise<PartitioningView>;
  /** The readiness check: throws until all caches have synced. */
  check(): void;
  whenSettled(): Promise<void>;
  run(signal: AbortSignal): Promise<void>;
}

export interface CacheOptions {
  readonly clock?: Clock | undefined;
  readonly log?: Log | undefined;
  /** Whether the cluster may have machine configuration. Default true. */
  readonly machineConfiguration?: boolean | undefined;
  /** Whether it may have OpenShift's configuration. Default true. */
  readonly openShift?: boolean | undefined;
}

/** Caches of the kinds that profiles are checked against; the cluster may lack some of them. */
export function clusterCaches(
  client: Client,
  { machineConfiguration = true, openShift = true, ...options }: CacheOptions = {},
): ClusterView {
  const cache = <T extends KubeObject>(kind: KindRef<T>, project?: (object: T) => T): OptionalCache<T> =>
    new OptionalCache(client, kind, { ...options, project });
  const named = (kind: KindRef): OptionalCache =>
    new OptionalCache(client, kind, { ...options, fieldSelector: "metadata.name=cluster" });
  const nodes = new OptionalCache<KubeObject & NodeCores>(client, kinds.node as KindRef<KubeObject & NodeCores>, {
    ...options,
    project: (node) => ({ ...projectNode(node), ...coresOfNode(node) }),
  });
  const namespaces = cache<KubeObject>(kinds.namespace, projectNamespace);
  const pools = cache(machineConfigPoolKind, projectPool);
  const machineConfigs = cache<KubeObject>(machineConfigKind, projectMachineConfig);
  const infrastructures = named(infrastructureKind);
  const featureGates = named(featureGateKind);
  const configMaps = new OptionalCache<KubeObject>(client, kinds.configMap, {
    ...options,
    namespace: partitioningConfigMap.namespace,
    fieldSelector: `metadata.name=${partitioningConfigMap.name}`,
  });
  const profiles = new OptionalCache<KubeObject>(client, profileKind, {
    ...options,
    namespace: tuningNamespace,
    project: projectProfile,
  });
  const tuneds = new OptionalCache<Tuned>(client, tunedKind, { ...options, namespace: tuningNamespace });
  // Readiness does not wait for these: profiles stored in an older version can be listed only once the webhook converts.
  const performanceProfiles = cache<KubeObject>(performanceProfileKind, projectPerformanceProfile);
  const ofPools = machineConfiguration ? [pools, machineConfigs] : [];
  const ofOpenShift = openShift ? [infrastructures, featureGates] : [];
  const awaited: readonly OptionalCache[] = [
    nodes,
    ...ofPools,
    ...ofOpenShift,
    configMaps,
    namespaces,
    profiles,
    tuneds,
  ];
  const unsynced = (): string[] => awaited.filter(({ settled }) => !settled).map(({ name }) => name);
  const partitioning = partitioningView(
    client,
    { nodes, namespaces, infrastructures, configMaps },
    { awaited: [nodes, namespaces, configMaps, ...(openShift ? [infrastructures] : [])], clock: options.clock },
  );
  return {
    name: "caches of the cluster",
    partitioning,
    objects() {
      if (unsynced().length > 0) return undefined;
      return {
        nodes: nodes.objects ?? [],
        performanceProfiles: performanceProfiles.objects ?? [],
        ...present("profiles", profiles.objects),
        ...present("pools", pools.objects),
        ...present("machineConfigs", machineConfigs.objects),
        ...present("infrastructure", (infrastructures.objects ?? configMaps.objects)?.[0]),
        ...present("featureGate", featureGates.objects?.[0]),
      };
    },
    tuneds() {
      if (unsynced().length > 0) return undefined;
      const onHosts = (profiles.objects ?? []).flatMap((profile) => (profile as Profile).status?.hostProfiles ?? []);
      return { tuneds: tuneds.objects ?? [], onHosts, pools: pools.objects ?? [] };
    },
    check() {
      if (unsynced().length > 0) throw new Error(`not synced yet: ${unsynced().join(", ")}`);
    },
    async whenSettled() {
      await Promise.all(awaited.map((one) => one.whenSettled()));
    },
    async run(signal) {
      // Every cache adds several listeners to the signal.
      setMaxListeners(0, signal);
      await Promise.all([...awaited, performanceProfiles].map((one) => one.run(signal)));
    },
  };
}

function present<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}
