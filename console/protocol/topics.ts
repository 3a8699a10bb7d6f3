import type { FleetRow } from "../../src/domain/fleet/fleet-row.ts";
import type { TuningChain } from "../../src/domain/node-pool/view/tuning-chains.ts";
import type { PoolView } from "../../src/domain/rollout/view/pool-view.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import type { NodePart } from "./node.ts";
import type { PauseRequest } from "./answers.ts";
import type { ContainerRow, PartitioningRow, ScyllaRow } from "./workloads.ts";

/**
 * What the page can watch: each topic is a table of rows by key, kept by the server and sent as it changes. A topic whose name
 * ends in a slash has one table for each name after it: `node/worker-17`.
 */
export interface TopicRows {
  /** By name of the node. */
  fleet: Omit<FleetRow, "name">;
  /** Whether the user may do what the page offers. */
  access: AccessRow;
  /** Kinds of which views are made, by `Kind.group`: a view of kinds that are not served is not in the navigation. */
  kinds: { readonly served: boolean };
  /**
   * `pool/NAME` and `profile/NAME`: for what profiles can be designed, and those there are. `divided`: the pool's profile. A
   * NodePool is `pool/NAMESPACE/NAME`, with its profile. `unmanaged`: nodes of NodePools that no cluster of this console has.
   */
  designs: { readonly nodes?: number; readonly divided?: string; readonly profile?: KubeObject };
  /** By name of the pool: what a preview of its profile depends on, as `previewObject` leaves it, and the row `cluster`. */
  "design/": DesignRow;
  /** By name of the node: all that explains it, in parts. */
  "node/": NodePart;
  /** By name of the node: what happened to it and its Profile, by uid of the event. */
  "events/": EventRow;
  /** `pool/NAME` and `nodepool/NAMESPACE/NAME`. */
  rollout: RolloutRow;
  /** `nodepool/NAMESPACE/NAME` and `chain/…`. */
  clusters: ClustersRow;
  /** `cluster`, and decisions by uid of the pod or the event. */
  partitioning: PartitioningRow;
  /** By name of the node: containers of the platform there. */
  "containers/": ContainerRow;
  /** `config/NAME` and `node/NAME`. */
  scylla: ScyllaRow;
}

/** Who brings configs to nodes. */
export type PoolActor = "Attune" | "Machine Config Operator" | "none";

export interface RolloutRow extends PoolView {
  /** Of a NodePool `namespace/name`. */
  readonly name: string;
  readonly kind: "MachineConfigPool" | "NodePool";
  /** Undefined: not known. */
  readonly actor: PoolActor | undefined;
  /** What `POST /api/pause` takes. */
  readonly pause: Omit<PauseRequest, "paused">;
  /** Of a paused NodePool: a time, or `true`. */
  readonly pausedUntil: string;
}

export interface DesignRow {
  readonly object?: KubeObject;
  readonly facts?: {
    /** Whether the cluster has MachineConfigPools. */
    readonly hasPools: boolean;
    /** Attune rolls out pools; otherwise a machine config operator does. */
    readonly rollsOut: boolean;
    /** The objects are those of one NodePool, in the terms of a cluster with one pool. */
    readonly designed?: DesignedNodePool;
  };
}

export interface DesignedConfigMap {
  /** With the text of the profile's key alone. */
  readonly configMap: KubeObject;
  readonly place: { readonly key: string; readonly document: number };
  readonly otherKeys: readonly string[];
}

/** A NodePool whose profile is designed, and where that is written. */
export interface DesignedNodePool {
  /** Clusters of this console. Absent: the hosted one is none of them, or nobody knows which. */
  readonly management: string;
  readonly hosted: string | undefined;
  /** Nodes with a new configuration take the place of those without. */
  readonly replaces: boolean;
  readonly nodePool: KubeObject;
  /** Where its profile is written now. Undefined: it has none. */
  readonly given: DesignedConfigMap | undefined;
  /** Names of the ConfigMaps of its namespace. */
  readonly taken: readonly string[];
  /** Other NodePools that refer to the ConfigMap of the profile. */
  readonly sharing: readonly string[];
}

export interface EventRow {
  /** Of the object: `Node`, `Profile`. */
  readonly kind: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** When it happened last. */
  readonly at: string;
}

/** A NodePool, or one object that it refers to, and how far that has come. */
export interface ClustersRow {
  /** `namespace/name` */
  readonly nodePool: string;
  /** Clusters of this console. Empty: the hosted one is none of them. */
  readonly management: string;
  readonly hosted: string;
  readonly pool?: Pick<PoolView, "nodes" | "updated" | "state" | "waits"> & { readonly hostedCluster: string };
  readonly chain?: Omit<TuningChain, "nodePool">;
  /** An edit in the hosted cluster was set back: when last, and how often. */
  readonly reverted?: { readonly last: string; readonly times: number };
}

export type TopicName = keyof TopicRows;
export type RowOf<Name extends TopicName> = TopicRows[Name];

/** What the page offers to do, and the keys of the topic `access`. */
export type ActionName =
  | "write tuneds"
  | "write profiles"
  | "write machine configs"
  | "pause pools"
  | "pause node pools"
  | "read values of nodes"
  | "read values of virtual nodes";

/** A rule of RBAC that a user needs. */
export interface Rule {
  readonly verb: string;
  readonly group: string;
  /** With its subresource: `pods/exec`. */
  readonly resource: string;
  /** Empty: in the whole cluster. */
  readonly namespace: string;
}

export interface AccessRow extends Rule {
  readonly allowed: boolean;
}
