import type { ClusterState } from "./cluster-state.ts";
import type { Rejection } from "./obstacle.ts";
import type { NodeState } from "./node-state.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { PodTerm } from "./pod-query.ts";
import type { PerNode } from "./pod-counts.ts";

/** Sums by topology domain, which is a topology key and its value. */
class Domains {
  readonly #byKey = new Map<string, Map<string, number>>();

  get empty(): boolean {
    return this.#byKey.size === 0;
  }

  addAll(state: ClusterState, topologyKey: string, perNode: PerNode, weight = 1): void {
    for (const [name, count] of perNode) {
      const value = domainOf(state.node(name), topologyKey);
      if (value === undefined) continue;
      let values = this.#byKey.get(topologyKey);
      if (!values) this.#byKey.set(topologyKey, (values = new Map()));
      values.set(value, (values.get(value) ?? 0) + count * weight);
    }
  }

  has(topologyKey: string, node: NodeState): boolean {
    const value = domainOf(node, topologyKey);
    return value !== undefined && (this.#byKey.get(topologyKey)?.get(value) ?? 0) > 0;
  }

  hasAny(node: NodeState): boolean {
    for (const key of this.#byKey.keys()) if (this.has(key, node)) return true;
    return false;
  }

  sum(node: NodeState): number {
    let sum = 0;
    for (const [key, values] of this.#byKey) sum += values.get(domainOf(node, key) ?? "") ?? 0;
    return sum;
  }
}

export function domainOf(node: NodeState | undefined, topologyKey: string): string | undefined {
  return node && Object.hasOwn(node.labels, topologyKey) ? node.labels[topologyKey] : undefined;
}

const unmet: Rejection = {
  obstacle: "pod affinity",
  reasons: ["node(s) didn't match pod affinity rules"],
  preemptionMayHelp: false,
};
const antiAffinity: Rejection = {
  obstacle: "pod affinity",
  reasons: ["node(s) didn't match pod anti-affinity rules"],
  preemptionMayHelp: true,
};
const forbidden: Rejection = {
  obstacle: "pod affinity",
  reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"],
  preemptionMayHelp: true,
};

/** Inter-pod affinity and anti-affinity, of the pod and of the pods that already run. */
export function podAffinityFilter(
  pod: PodFacts,
  state: ClusterState,
): ((node: NodeState) => Rejection | undefined) | undefined {
  const forbids = new Domains();
  for (const { term, effect, perNode } of state.counts.concerning(pod))
    if (effect.type === "forbids") forbids.addAll(state, term.topologyKey, perNode);
  const avoids = domainsOf(pod.antiAffinity, state);
  const wants = affinityOf(pod, state);
  if (forbids.empty && avoids.empty && pod.affinity.length === 0) return undefined;
  return (node) => {
    if (!wants(node)) return unmet;
    if (avoids.hasAny(node)) return antiAffinity;
    return forbids.hasAny(node) ? forbidden : undefined;
  };
}

function domainsOf(terms: readonly PodTerm[], state: ClusterState): Domains {
  const domains = new Domains();
  for (const { query, topologyKey } of terms) domains.addAll(state, topologyKey, state.matching(query));
  return domains;
}

/** The first pod of a group satisfies its own affinity. */
function affinityOf(pod: PodFacts, state: ClusterState): (node: NodeState) => boolean {
  if (pod.affinity.length === 0) return () => true;
  const domains = pod.affinity.map((term) => ({ term, found: domainsOf([term], state) }));
  const isFirst =
    domains.every(({ found }) => found.empty) && pod.affinity.every(({ query }) => state.counts.matches(query, pod));
  return (node) =>
    domains.every(
      ({ term: { topologyKey }, found }) =>
        domainOf(node, topologyKey) !== undefined && (isFirst || found.has(topologyKey, node)),
    );
}

/** The sum of preferred affinity weights, of the pod and of the pods that already run. */
export function affinityScore(pod: PodFacts, state: ClusterState): ((node: NodeState) => number) | undefined {
  const preferred = new Domains();
  for (const { term, weight } of pod.preferred)
    preferred.addAll(state, term.topologyKey, state.matching(term.query), weight);
  for (const { term, effect, perNode } of state.counts.concerning(pod))
    if (effect.type === "attracts") preferred.addAll(state, term.topologyKey, perNode, effect.weight);
  return preferred.empty ? undefined : (node) => preferred.sum(node);
}
