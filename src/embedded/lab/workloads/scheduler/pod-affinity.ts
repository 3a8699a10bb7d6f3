import type { ClusterState } from "./cluster-state.ts";
import type { Rejection } from "./obstacle.ts";
import type { NodeState } from "./node-state.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { PodTerm } from "./pod-query.ts";
import type { PerNode } from "./pod-counts.ts";

/** Places, each by a topology key and its value, with how much of something is there. */
class Places {
  readonly #byKey = new Map<string, Map<string, number>>();

  get empty(): boolean {
    return this.#byKey.size === 0;
  }

  addAll(state: ClusterState, topologyKey: string, perNode: PerNode, weight = 1): void {
    for (const [name, count] of perNode) {
      const value = placeOf(state.node(name), topologyKey);
      if (value === undefined) continue;
      let values = this.#byKey.get(topologyKey);
      if (!values) this.#byKey.set(topologyKey, (values = new Map()));
      values.set(value, (values.get(value) ?? 0) + count * weight);
    }
  }

  has(topologyKey: string, node: NodeState): boolean {
    const value = placeOf(node, topologyKey);
    return value !== undefined && (this.#byKey.get(topologyKey)?.get(value) ?? 0) > 0;
  }

  hasAny(node: NodeState): boolean {
    for (const key of this.#byKey.keys()) if (this.has(key, node)) return true;
    return false;
  }

  sum(node: NodeState): number {
    let sum = 0;
    for (const [key, values] of this.#byKey) sum += values.get(placeOf(node, key) ?? "") ?? 0;
    return sum;
  }
}

export function placeOf(node: NodeState | undefined, topologyKey: string): string | undefined {
  return node && Object.hasOwn(node.labels, topologyKey) ? node.labels[topologyKey] : undefined;
}

const unmet: Rejection = {
  obstacle: "pod affinity",
  reasons: ["node(s) didn't match pod affinity rules"],
  preemptionMayHelp: false,
};
const tooClose: Rejection = {
  obstacle: "pod affinity",
  reasons: ["node(s) didn't match pod anti-affinity rules"],
  preemptionMayHelp: true,
};
const forbidden: Rejection = {
  obstacle: "pod affinity",
  reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"],
  preemptionMayHelp: true,
};

/** Checks nodes for the company that a pod must have, must not have, and that does not want it. */
export function podAffinityFilter(
  pod: PodFacts,
  state: ClusterState,
): ((node: NodeState) => Rejection | undefined) | undefined {
  const forbids = new Places();
  for (const { term, bearing, perNode } of state.counts.concerning(pod))
    if (bearing.type === "forbids") forbids.addAll(state, term.topologyKey, perNode);
  const avoids = placesOf(pod.antiAffinity, state);
  const wants = companyOf(pod, state);
  if (forbids.empty && avoids.empty && pod.affinity.length === 0) return undefined;
  return (node) => {
    if (!wants(node)) return unmet;
    if (avoids.hasAny(node)) return tooClose;
    return forbids.hasAny(node) ? forbidden : undefined;
  };
}

function placesOf(terms: readonly PodTerm[], state: ClusterState): Places {
  const places = new Places();
  for (const { query, topologyKey } of terms) places.addAll(state, topologyKey, state.matching(query));
  return places;
}

/** The first of a group has no company yet, and may be its own. */
function companyOf(pod: PodFacts, state: ClusterState): (node: NodeState) => boolean {
  if (pod.affinity.length === 0) return () => true;
  const places = pod.affinity.map((term) => ({ term, there: placesOf([term], state) }));
  const isFirst =
    places.every(({ there }) => there.empty) && pod.affinity.every(({ query }) => state.counts.matches(query, pod));
  return (node) =>
    places.every(
      ({ term: { topologyKey }, there }) =>
        placeOf(node, topologyKey) !== undefined && (isFirst || there.has(topologyKey, node)),
    );
}

/** How much a node is liked for its company, by the pod and by those already there. */
export function companyScore(pod: PodFacts, state: ClusterState): ((node: NodeState) => number) | undefined {
  const liked = new Places();
  for (const { term, weight } of pod.preferred)
    liked.addAll(state, term.topologyKey, state.matching(term.query), weight);
  for (const { term, bearing, perNode } of state.counts.concerning(pod))
    if (bearing.type === "attracts") liked.addAll(state, term.topologyKey, perNode, bearing.weight);
  return liked.empty ? undefined : (node) => liked.sum(node);
}
