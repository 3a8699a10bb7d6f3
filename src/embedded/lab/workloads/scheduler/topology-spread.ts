import type { ClusterState } from "./cluster-state.ts";
import type { Rejection } from "./obstacle.ts";
import { mayRunOn } from "../../../../language/object/scheduling/node-affinity.ts";
import type { NodeState } from "./node-state.ts";
import { domainOf } from "./pod-affinity.ts";
import type { PodFacts, SpreadConstraint } from "./pod-facts.ts";
import { untolerated } from "../../../../language/object/scheduling/tolerations.ts";

const uneven: Rejection = {
  obstacle: "spread",
  reasons: ["node(s) didn't match pod topology spread constraints"],
  preemptionMayHelp: true,
};
const missingLabel: Rejection = {
  obstacle: "spread",
  reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"],
  preemptionMayHelp: false,
};

/** Rejects nodes whose domain would exceed the emptiest one by more than `maxSkew`. */
export function spreadFilter(
  pod: PodFacts,
  state: ClusterState,
): ((node: NodeState) => Rejection | undefined) | undefined {
  const hard = pod.spread.filter((constraint) => constraint.hard);
  if (hard.length === 0) return undefined;
  const checks = hard.map((constraint) => {
    const counts = countByDomain(pod, constraint, hard, state);
    // With fewer domains than `minDomains`, the smallest count is 0.
    const least = counts.size < constraint.minDomains ? 0 : Math.min(...counts.values());
    const itself = state.counts.matches(constraint.query, pod) ? 1 : 0;
    return (node: NodeState): Rejection | undefined => {
      const domain = domainOf(node, constraint.topologyKey);
      if (domain === undefined) return missingLabel;
      return (counts.get(domain) ?? 0) + itself - least > constraint.maxSkew ? uneven : undefined;
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

function countByDomain(
  pod: PodFacts,
  constraint: SpreadConstraint,
  all: readonly SpreadConstraint[],
  state: ClusterState,
): Map<string, number> {
  const counts = new Map<string, number>();
  const perNode = state.matching(constraint.query);
  for (const node of state.nodes) {
    if (all.some(({ topologyKey }) => domainOf(node, topologyKey) === undefined)) continue;
    if (constraint.honoursAffinity && !mayRunOn(pod.nodes, node)) continue;
    if (constraint.honoursTaints && untolerated(node.taints, pod.tolerations, ["NoSchedule", "NoExecute"])) continue;
    const domain = domainOf(node, constraint.topologyKey) as string;
    counts.set(domain, (counts.get(domain) ?? 0) + (perNode.get(node.name) ?? 0));
  }
  return counts;
}

/** The number of matching pods in the node's domains: the lower the better. */
export function spreadCost(pod: PodFacts, state: ClusterState): ((node: NodeState) => number) | undefined {
  const soft = pod.spread.filter((constraint) => !constraint.hard);
  if (soft.length === 0) return undefined;
  const counted = soft.map((constraint) => ({ constraint, counts: countByDomain(pod, constraint, soft, state) }));
  return (node) => {
    let cost = 0;
    for (const { constraint, counts } of counted) {
      const domain = domainOf(node, constraint.topologyKey);
      if (domain === undefined) return Infinity;
      // Weighted by the number of domains, as kube-scheduler does.
      cost += (counts.get(domain) ?? 0) * Math.log(counts.size + 2);
    }
    return cost;
  };
}
