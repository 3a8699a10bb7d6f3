import type { KindRef, KubeObject } from "../../language/object/meta.ts";
import type { ObjectReference, PlannedObject } from "../../language/object/plan.ts";
import type { HostedCluster, NodePool } from "./api.ts";

/** What makes the machines of NodePools. It decides only: the NodePool controller reads and writes for it. */
export interface MachineProvider {
  /** Kinds whose objects in the control plane namespace are `MachinesInput.observed`. */
  readonly kinds: readonly KindRef[];
  /** Undefined: it makes none for this NodePool, and nodes join by other means. */
  plan(input: MachinesInput): MachinesPlan | undefined;
  /** References to all objects of the provider for a NodePool that is deleted; none: its machines are gone. */
  remains(nodePool: NodePool, observed: readonly KubeObject[]): readonly ObjectReference[];
}

export interface MachinesInput {
  readonly nodePool: NodePool;
  readonly hostedCluster: HostedCluster;
  /** Of the control plane. */
  readonly namespace: string;
  /** The Secret that new machines boot with. */
  readonly userData: string;
  /** The full hash of the configuration in it. */
  readonly target: string;
  readonly version: string;
  /** InPlace: the full hash that all nodes have. Absent: none yet. */
  readonly current?: string | undefined;
  /** InPlace: how many nodes may be away. */
  readonly maxUnavailable: number;
  /** InPlace: what the annotations of a MachineSet say about an update. */
  readonly progress?: { readonly failed: boolean; readonly message: string } | undefined;
  /** InPlace: nodes that have the target. */
  readonly updated: readonly string[];
  readonly isPaused: boolean;
  readonly observed: readonly KubeObject[];
}

export interface MachinesPlan {
  readonly objects: readonly PlannedObject[];
  readonly prunes: readonly ObjectReference[];
  /** Replace: whether every machine has the target and is available. */
  readonly isComplete: boolean;
  readonly available: number;
  /** Names of nodes, where they are known. */
  readonly nodes?: readonly string[] | undefined;
  /** Why no machines can be made. */
  readonly problem?: string | undefined;
}
