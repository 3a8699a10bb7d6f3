import type {
  ContainerRuntimeConfig,
  KubeletConfig,
  MachineConfig,
  MachineConfigPool,
} from "../../../src/domain/machine-config/api.ts";
import {
  machineConfigurationKind,
  mergedPolicy,
  userPolicy,
} from "../../../src/domain/machine-config/cost/disruption-policy.ts";
import { inputsAnnotation, type Profile, type Tuned, tuningNamespace } from "../../../src/domain/node-tuning/api.ts";
import type { NodeFacts } from "../../../src/domain/node-tuning/node-profile.ts";
import { projectNode } from "../../../src/domain/node-tuning/projections.ts";
import { featureGateKind } from "../../../src/domain/performance-profile/mixed-cpus-allowed.ts";
import type { ClusterState } from "../../../src/domain/plan/plan-changes.ts";
import { infrastructureKind } from "../../../src/domain/workload-partitioning/identifier.ts";
import { hashOf } from "../../../src/language/object/hash.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";
import type { DesignedNodePool } from "../../protocol/topics.ts";

/** What the designer knows of a cluster. */
export interface DesignCluster {
  /** Of the kinds that a preview depends on, as `previewObject` leaves them. */
  readonly objects: readonly KubeObject[];
  /** Whether the cluster has MachineConfigPools. */
  readonly hasPools: boolean;
  /** Attune rolls out pools; otherwise a machine config operator does. */
  readonly rollsOut: boolean;
  /** The objects are those of a NodePool, in the terms of a cluster with one pool. */
  readonly designed?: DesignedNodePool | undefined;
  /** Of the operator. */
  readonly version: string;
  /** RFC 3339. */
  readonly now: string;
}

/** The same objects, as plans ask for them. */
export function clusterState({ objects, hasPools, rollsOut, version, now }: DesignCluster): ClusterState {
  const byKind = new Map<string, KubeObject[]>();
  for (const object of objects) {
    const known = byKind.get(object.kind);
    if (known) known.push(object);
    else byKind.set(object.kind, [object]);
  }
  const all = <T extends KubeObject>(kind: string): readonly T[] => (byKind.get(kind) ?? []) as T[];
  const nodes = all("Node");
  const profiles = all<Profile>("Profile");
  const pools = hasPools ? all<MachineConfigPool>("MachineConfigPool") : undefined;
  const kubeletConfigs = all<KubeletConfig>("KubeletConfig");
  const [policy] = all(machineConfigurationKind.kind);
  const shipped = profiles.some(({ metadata }) => metadata.annotations?.[inputsAnnotation] !== undefined);
  return {
    nodes,
    profiles,
    performanceProfiles: all("PerformanceProfile"),
    infrastructure: all(infrastructureKind.kind)[0] ?? all("ConfigMap")[0],
    featureGate: all(featureGateKind.kind)[0],
    derived: [...kubeletConfigs, ...all("RuntimeClass")],
    rollout: pools && {
      kubeletConfigs,
      containerRuntimeConfigs: all<ContainerRuntimeConfig>("ContainerRuntimeConfig"),
      policy: mergedPolicy(policy ? userPolicy(policy) : {}),
      // They change the order of nodes, which the review knows.
      blocked: [],
      isOurs: rollsOut,
      // Only what differs must differ: the designer shows no names of rendered configs.
      digest: (parts) => hashOf(Array.from(parts, (part) => new TextDecoder("latin1").decode(part))).repeat(2),
    },
    tuning: {
      tuneds: all<Tuned>("Tuned"),
      nodes: nodes.map((node) => projectNode(node as unknown as NodeFacts)),
      profiles,
      pools,
      machineConfigs: pools && all<MachineConfig>("MachineConfig"),
      status: { type: "ConfigMap", observed: undefined },
      agent: { namespace: tuningNamespace, image: "", serviceAccount: "", release: "" },
      protocol: shipped ? "shipped" : "documented",
      namespace: tuningNamespace,
      version,
      now,
    },
  };
}
