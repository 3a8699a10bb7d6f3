import type { ClusterState } from "./cluster-state.ts";
import type { Rejection } from "./obstacle.ts";
import { mayRunOn } from "./node-affinity.ts";
import type { NodeState } from "./node-state.ts";
import { placeOf } from "./pod-affinity.ts";
import type { PodFacts, SpreadConstraint } from "./pod-facts.ts";
import { untolerated } from "./tolerations.ts";

const uneven: Rejection = {
  obstacle: "spread",
  reasons: ["node(s) didn't match pod topology spread constraints"],
  preemptionMayHelp: true,
};
const nowhere: Rejection = {
  obstacle: "spread",
  reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"],
  preemptionMayHelp: false,
};

/** Checks that a pod makes no place fuller than the emptiest one by more than it may. */
export function spreadFilter(
  pod: PodFacts,
  state: ClusterState,
): ((node: NodeState) => Rejection | undefined) | undefined {
  const hard = pod.spread.filter((constraint) => constraint.hard);
  if (hard.length === 0) return undefined;
  const checks = hard.map((constraint) => {
    const counts = countByPlace(pod, constraint, hard, state);
    // With fewer places than wanted, those that are missing count as empty ones.
    const least = counts.size < constraint.minDomains ? 0 : Math.min(...counts.values());
    const itself = state.counts.matches(constraint.query, pod) ? 1 : 0;
    return (node: NodeState): Rejection | undefined => {
      const place = placeOf(node, constraint.topologyKey);
      if (place === undefined) return nowhere;
      return (counts.get(place) ?? 0) + itself - least > constraint.maxSkew ? uneven : undefined;
    };
  });
  return (node) => {
    for (const check of checks) {
      const rejection = check(node);
      if (rejection) return rejection;
    }
    return undefined;
  };
}

function countByPlace(
  pod: PodFacts,
  constraint: SpreadConstraint,
  all: readonly SpreadConstraint[],
  state: ClusterState,
): Map<string, number> {
  const counts = new Map<string, number>();
  const perNode = state.matching(constraint.query);
  for (const node of state.nodes) {
    if (all.some(({ topologyKey }) => placeOf(node, topologyKey) === undefined)) continue;
    if (constraint.honoursAffinity && !mayRunOn(pod.nodes, node)) continue;
    if (constraint.honoursTaints && untolerated(node.taints, pod.tolerations, ["NoSchedule", "NoExecute"])) continue;
    const place = placeOf(node, constraint.topologyKey) as string;
    counts.set(place, (counts.get(place) ?? 0) + (perNode.get(node.name) ?? 0));
  }
  return counts;
}

/** How many pods like it are where the node is: the fewer the better. */
export function spreadCost(pod: PodFacts, state: ClusterState): ((node: NodeState) => number) | undefined {
  const soft = pod.spread.filter((constraint) => !constraint.hard);
  if (soft.length === 0) return undefined;
  const counted = soft.map((constraint) => ({ constraint, counts: countByPlace(pod, constraint, soft, state) }));
  return (node) => {
    let cost = 0;
    for (const { constraint, counts } of counted) {
      const place = placeOf(node, constraint.topologyKey);
      if (place === undefined) return Infinity;
      // The more places there are, the more each pod too many in one of them tells.
      cost += (counts.get(place) ?? 0) * Math.log(counts.size + 2);
    }
    return cost;
  };
}
