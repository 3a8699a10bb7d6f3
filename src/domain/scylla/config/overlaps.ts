import type { ScyllaNodeConfig } from "../api.ts";
import { configsOfNode, type PlacedNode } from "../placement.ts";

/** Nodes by name, and the configs that select each, the oldest first. */
export interface Selections {
  readonly ofNode: ReadonlyMap<string, readonly ScyllaNodeConfig[]>;
  /** By the names of configs that share nodes with others. */
  readonly overlaps: ReadonlyMap<string, readonly Overlap[]>;
}

/** Nodes that a config shares with another one. */
export interface Overlap {
  readonly other: string;
  /** Whether the other decides about them. A third config may be older than both. */
  readonly decides: "this" | "other" | "neither";
  readonly nodes: readonly string[];
}

export function selectionsOf(nodes: readonly PlacedNode[], configs: readonly ScyllaNodeConfig[]): Selections {
  const ofNode = new Map(nodes.map((node) => [node.metadata.name ?? "", configsOfNode(node, configs)]));
  const shared = new Map<string, Map<string, { decides: Overlap["decides"]; other: string; nodes: string[] }>>();
  for (const [node, selecting] of ofNode)
    for (const [i, one] of selecting.entries())
      for (const [j, another] of selecting.entries()) {
        if (i === j) continue;
        const decides = i === 0 ? "this" : j === 0 ? "other" : "neither";
        const [name = "", other = ""] = [one.metadata.name, another.metadata.name];
        const others = shared.get(name) ?? new Map();
        shared.set(name, others);
        const key = `${other} ${decides}`;
        const overlap = others.get(key) ?? { other, decides, nodes: [] };
        others.set(key, overlap);
        overlap.nodes.push(node);
      }
  const overlaps = new Map(
    [...shared].map(([name, others]): [string, Overlap[]] => [
      name,
      [...others]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([, overlap]) => ({ ...overlap, nodes: overlap.nodes.toSorted() })),
    ]),
  );
  return { ofNode, overlaps };
}
