import type { Cost } from "../machine-config/cost/cost-of.ts";
import type { Waiting } from "../rollout/waiting.ts";
import type { ContentChange } from "./content-changes.ts";

/** How the config of a pool's nodes changes, and what that does to them. */
export interface PoolChange {
  readonly pool: string;
  /** The rendered config that its nodes get. */
  readonly config: string;
  /** Written or derived objects that cause it. */
  readonly objects: readonly ChangedObject[];
  /** Nodes to which the same happens. */
  readonly updates: readonly PoolUpdate[];
  /** Names of nodes, in the order in which they are told. */
  readonly order: readonly string[];
  /** How many nodes may be unavailable at the same time. */
  readonly atOnce: number;
  /** What the rollout, or some of its nodes, wait for. */
  readonly waits: readonly Waiting[];
}

export interface ChangedObject {
  readonly kind: string;
  readonly name: string;
  readonly change: "create" | "change" | "delete";
}

/** The smallest sufficient action on some nodes, what changes there, and what makes the action necessary. */
export interface PoolUpdate extends Cost {
  readonly nodes: readonly string[];
  readonly contents: readonly ContentChange[];
  /** Why the nodes would refuse it. */
  readonly problem?: string;
}
