import type { PodFacts } from "./pod-facts.ts";
import { matchesQuery, type PodQuery, type PodTerm } from "./pod-query.ts";

type Labels = Readonly<Record<string, string>>;
/** Counts by node name. */
export type PerNode = ReadonlyMap<string, number>;

/** The most queries that are kept. The least recently used is dropped, and counted anew when needed. */
const mostQueries = 512;

/** The effect of a running pod's affinity term on a new pod. */
export type TermEffect = { type: "forbids" } | { type: "attracts"; weight: number };

export interface CarriedTerm {
  term: PodTerm;
  effect: TermEffect;
  perNode: Map<string, number>;
}

/**
 * Keeps the counts of pods by query, and of the affinity terms of running pods, up to date: a decision reads counts instead
 * of all pods.
 */
export class PodCounts {
  readonly #labelsOf: (namespace: string) => Labels;
  readonly #counts = new Map<string, { query: PodQuery; perNode: Map<string, number> }>();
  readonly #carried = new Map<string, CarriedTerm>();

  constructor(labelsOf: (namespace: string) => Labels) {
    this.#labelsOf = labelsOf;
  }

  /** The number of matching pods on each node. The first time, all pods are counted. */
  of(query: PodQuery, all: () => Iterable<PodFacts>): PerNode {
    let found = this.#counts.get(query.key);
    if (found) this.#counts.delete(query.key);
    else {
      found = { query, perNode: new Map() };
      for (const pod of all()) if (this.matches(query, pod)) change(found.perNode, pod.nodeName, 1);
    }
    this.#counts.set(query.key, found);
    if (this.#counts.size > mostQueries) this.#counts.delete(this.#counts.keys().next().value as string);
    return found.perNode;
  }

  matches(query: PodQuery, pod: PodFacts): boolean {
    return matchesQuery(query, pod, this.#labelsOf);
  }

  /** Affinity terms of running pods that match this pod. */
  *concerning(pod: PodFacts): Iterable<CarriedTerm> {
    for (const carried of this.#carried.values()) if (this.matches(carried.term.query, pod)) yield carried;
  }

  add(pod: PodFacts): void {
    this.#change(pod, 1);
  }

  remove(pod: PodFacts): void {
    this.#change(pod, -1);
  }

  /** The labels of a namespace changed: queries with a namespace selector are counted anew. */
  forgetNamespaces(): void {
    for (const [key, { query }] of this.#counts) if (query.namespaceSelector) this.#counts.delete(key);
  }

  #change(pod: PodFacts, by: 1 | -1): void {
    for (const { query, perNode } of this.#counts.values())
      if (this.matches(query, pod)) change(perNode, pod.nodeName, by);
    for (const term of pod.antiAffinity) this.#carry(term, { type: "forbids" }, pod, by);
    // Required affinity also counts as a preference: kube-scheduler's hardPodAffinityWeight is 1.
    for (const term of pod.affinity) this.#carry(term, { type: "attracts", weight: 1 }, pod, by);
    for (const { term, weight } of pod.preferred) this.#carry(term, { type: "attracts", weight }, pod, by);
  }

  #carry(term: PodTerm, effect: TermEffect, { nodeName }: PodFacts, by: 1 | -1): void {
    const key = JSON.stringify([term.query.key, term.topologyKey, effect]);
    let carried = this.#carried.get(key);
    if (!carried) this.#carried.set(key, (carried = { term, effect, perNode: new Map() }));
    change(carried.perNode, nodeName, by);
    if (carried.perNode.size === 0) this.#carried.delete(key);
  }
}

function change(perNode: Map<string, number>, node: string, by: number): void {
  const count = (perNode.get(node) ?? 0) + by;
  if (count === 0) perNode.delete(node);
  else perNode.set(node, count);
}
