import type { MachineConfigPool } from "../machine-config/api.ts";
import { formatLabelSelector, fromLabelSelector, SelectorError } from "../../language/object/label-selector.ts";
import type { NodeState } from "./node-state.ts";

export interface NearbyNode {
  readonly node: string;
  /** That it is in. */
  readonly pool: string;
}

/** Nodes that a pool has not, but could have. */
export interface NearbyNodes {
  /** The pool selects them, but another one comes first. */
  readonly elsewhere: readonly NearbyNode[];
  /** In no pool at all: no config reaches them. */
  readonly withoutPool: readonly NodeState[];
}

/** At most this many nodes are named. */
export const named = 5;

/** Why a pool has no nodes. */
export function describeEmpty(pool: MachineConfigPool, elsewhere: readonly NearbyNode[]): string {
  const nodes = elsewhere.map(({ node, pool: other }) => `node ${node} is in pool ${other}`);
  return `No node is in this pool, which selects ${selectorOf(pool)}${nodes.length > 0 ? `: ${listed(nodes)}` : ""}`;
}

/** How nodes in no pool come into this one. */
export function describeWithoutPool(pool: MachineConfigPool, nodes: readonly NodeState[]): string {
  const names = nodes.map(({ name }) => name);
  const count = names.length === 1 ? "1 node is in no pool and gets" : `${names.length} nodes are in no pool and get`;
  const { matchLabels = {}, matchExpressions } = pool.spec?.nodeSelector ?? {};
  const labels = Object.entries(matchLabels).map(([name, value]) => `${name}=${value}`);
  const how =
    labels.length > 0 && !matchExpressions?.length
      ? `kubectl label node ${names[0]} ${labels.join(" ")}`
      : `give it labels that match ${selectorOf(pool)}`;
  return `${count} no MachineConfig: ${listed(names)}. To add one to pool ${pool.metadata.name}: ${how}`;
}

/** `others`: how many there are besides these texts. */
export function listed(texts: readonly string[], others = 0): string {
  const more = others + Math.max(texts.length - named, 0);
  return `${texts.slice(0, named).join(", ")}${more > 0 ? `, and ${more} more` : ""}`;
}

function selectorOf({ spec }: MachineConfigPool): string {
  try {
    return formatLabelSelector(fromLabelSelector(spec?.nodeSelector)) || "nothing";
  } catch (error) {
    if (error instanceof SelectorError) return "nothing: its nodeSelector is invalid";
    throw error;
  }
}
