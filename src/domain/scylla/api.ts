import type { Condition } from "../../language/object/condition.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";

export const group = "scylla.scylladb.com";
const apiVersion = `${group}/v1alpha1`;

/** `perftune`: the script of the Scylla image. `native`: `attune perftune`, which records originals. */
export type TuningEngine = "perftune" | "native";

export interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
  tolerationSeconds?: number;
}

/** Which nodes have an agent. Written by administrators. */
export interface ScyllaNodeConfig extends KubeObject {
  spec?: {
    placement?: {
      affinity?: object;
      tolerations?: Toleration[];
      nodeSelector?: Record<string, string>;
    };
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
