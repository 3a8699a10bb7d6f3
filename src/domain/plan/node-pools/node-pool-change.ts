import type { NodeChange } from "../node-changes.ts";
import type { PoolUpdate } from "../pool-change.ts";
import type { Waiting } from "../../rollout/waiting.ts";

/** What a change on a management cluster does to the nodes of a NodePool that it reaches. They are in its hosted cluster. */
export interface NodePoolChange {
  /** `namespace/name`. */
  readonly nodePool: string;
  /** `namespace/name`. */
  readonly hostedCluster: string;
  /** Written or deleted ConfigMaps that it refers to, by name. */
  readonly configMaps: readonly string[];
  /** How many nodes it has. */
  readonly nodes: number;
  /** Another profile, or other settings, on each of its nodes. Absent: they stay. */
  readonly tuning?: Omit<NodeChange, "nodes">;
  /** The configuration that its nodes get. Absent: they keep theirs. */
  readonly rollout?: NodePoolRollout;
  /** Why nothing happens yet, or not at once. */
  readonly waits: readonly Waiting[];
}

/** `Replace`: nodes with the new configuration take the place of those without. */
export interface NodePoolRollout extends Omit<PoolUpdate, "nodes"> {
  readonly upgradeType: "InPlace" | "Replace";
  /** How many nodes may be unavailable at the same time. */
  readonly atOnce: number;
}

export function changesNodes({ tuning, rollout }: NodePoolChange): boolean {
  return tuning !== undefined || rollout !== undefined;
}
