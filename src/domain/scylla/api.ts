import type { Condition } from "../../language/object/condition.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";
import type { NodeAffinity } from "../../language/object/scheduling/node-affinity.ts";
import type { Toleration } from "../../language/object/scheduling/tolerations.ts";

export const group = "scylla.scylladb.com";
export const apiVersion = `${group}/v1alpha1`;

/** `perftune`: the script of the Scylla image. `native`: `attune perftune`, which records originals. */
export type TuningEngine = "perftune" | "native";

/** The engine of a ScyllaNodeConfig that names none. */
export const defaultEngine: TuningEngine = "perftune";

/** Which nodes have an agent. Clients in Go write null for what they leave out. */
export interface Placement {
  affinity?: { nodeAffinity?: NodeAffinity; podAffinity?: object; podAntiAffinity?: object } | null;
  tolerations?: Toleration[] | null;
  /** Default: `defaultNodeSelector`. Empty: every node. */
  nodeSelector?: Record<string, string> | null;
}

/** Written by administrators. */
export interface ScyllaNodeConfig extends KubeObject {
  spec?: {
    placement?: Placement;
    /** What was applied stays. */
    disableOptimizations?: boolean;
    engine?: TuningEngine;
  };
  status?: ScyllaNodeConfigStatus;
}

/** Agents of a ScyllaNodeConfig. */
export interface ReplicaStatus {
  desired: number;
  actual: number;
  ready: number;
}

export interface ScyllaNodeConfigStatus {
  observedGeneration?: number;
  conditions?: Condition[];
  current: ReplicaStatus;
  /** Of the newest template alone. */
  updated: ReplicaStatus;
  /** Computed from objects that may have changed since. */
  stale: boolean;
}

export interface ScyllaOperatorConfig extends KubeObject {
  spec?: {
    /** A Scylla image: its scripts tune nodes with the engine `perftune`. */
    scyllaUtilsImage?: string;
  };
}

export const scyllaNodeConfigKind: KindRef<ScyllaNodeConfig> = {
  apiVersion,
  kind: "ScyllaNodeConfig",
  plural: "scyllanodeconfigs",
  namespaced: false,
};

export const scyllaOperatorConfigKind: KindRef<ScyllaOperatorConfig> = {
  apiVersion,
  kind: "ScyllaOperatorConfig",
  plural: "scyllaoperatorconfigs",
  namespaced: false,
};
