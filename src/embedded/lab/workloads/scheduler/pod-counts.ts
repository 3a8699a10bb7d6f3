import type { PodFacts } from "./pod-facts.ts";
import { matchesQuery, type PodQuery, type PodTerm } from "./pod-query.ts";

type Labels = Readonly<Record<string, string>>;
/** How many, by the name of the node. */
export type PerNode = ReadonlyMap<string, number>;

/** More kinds of questions than this are forgotten, the oldest first: they are counted anew when asked again. */
const mostQueries = 512;

/** How strongly a term of a pod that already runs concerns one that comes. */
export type Bearing = { type: "forbids" } | { type: "attracts"; weight: number };

export interface CarriedTerm {
  term: PodTerm;
  bearing: Bearing;
  perNode: Map<string, number>;
}

/**
 * Counts pods by what is asked about them, and the terms that they carry, as pods come and go: a decision reads sums
 * instead of every pod.
 */
export class PodCounts {
  readonly #labelsOf: (namespace: string) => Labels;
  readonly #counts = new Map<string, { query: PodQuery; perNode: Map<string, number> }>();
  readonly #carried = new Map<string, CarriedTerm>();

  constructor(labelsOf: (namespace: string) => Labels) {
    this.#labelsOf = labelsOf;
  }

  /** How many pods on each node the query means. `all` is gone through the first time it is asked. */
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

  /** Terms of pods that run which mean this pod. */
  *concerning(pod: PodFacts): Iterable<CarriedTerm> {
    for (const carried of this.#carried.values()) if (this.matches(carried.term.query, pod)) yield carried;
  }

  add(pod: PodFacts): void {
    this.#change(pod, 1);
  }

  remove(pod: PodFacts): void {
    this.#change(pod, -1);
  }

  /** A namespace has other labels: whatever asked for them is counted anew. */
  forgetNamespaces(): void {
    for (const [key, { query }] of this.#counts) if (query.namespaceSelector) this.#counts.delete(key);
  }

  #change(pod: PodFacts, by: 1 | -1): void {
    for (const { query, perNode } of this.#counts.values())
      if (this.matches(query, pod)) change(perNode, pod.nodeName, by);
    for (const term of pod.antiAffinity) this.#carry(term, { type: "forbids" }, pod, by);
    // Who must have company likes it, too: the default weight of the real scheduler.
    for (const term of pod.affinity) this.#carry(term, { type: "attracts", weight: 1 }, pod, by);
    for (const { term, weight } of pod.preferred) this.#carry(term, { type: "attracts", weight }, pod, by);
  }

  #carry(term: PodTerm, bearing: Bearing, { nodeName }: PodFacts, by: 1 | -1): void {
    const key = JSON.stringify([term.query.key, term.topologyKey, bearing]);
    let carried = this.#carried.get(key);
    if (!carried) this.#carried.set(key, (carried = { term, bearing, perNode: new Map() }));
    change(carried.perNode, nodeName, by);
    if (carried.perNode.size === 0) this.#carried.delete(key);
  }
}

function change(perNode: Map<string, number>, node: string, by: number): void {
  const count = (perNode.get(node) ?? 0) + by;
  if (count === 0) perNode.delete(node);
  else perNode.set(node, count);
}
