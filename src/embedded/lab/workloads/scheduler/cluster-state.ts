import type { Node } from "../workload-objects.ts";
import { NodeState } from "./node-state.ts";
import { PodCounts, type PerNode } from "./pod-counts.ts";
import type { PodFacts } from "./pod-facts.ts";
import type { PodQuery } from "./pod-query.ts";

type Labels = Readonly<Record<string, string>>;
const noLabels: Labels = {};

/** Nodes and their pods, including decisions that the cache does not show yet. Decisions read this alone. */
export class ClusterState {
  readonly counts = new PodCounts((namespace) => this.#namespaces.get(namespace) ?? noLabels);
  readonly #nodes = new Map<string, NodeState>();
  /** Sorted by name, so that decisions do not depend on the order of registration. */
  #present: readonly NodeState[] | undefined;
  readonly #pods = new Map<string, PodFacts>();
  /** The number of pods by priority. */
  readonly #priorities = new Map<number, number>();
  readonly #nominated = new Map<string, Map<string, PodFacts>>();
  readonly #namespaces = new Map<string, Labels>();

  get nodes(): readonly NodeState[] {
    this.#present ??= [...this.#nodes.values()]
      .filter(({ present }) => present)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return this.#present;
  }

  node(name: string): NodeState | undefined {
    return this.#nodes.get(name);
  }

  setNode(name: string, node: Node | undefined): void {
    const state = this.#stateOf(name);
    if (state.present !== (node !== undefined)) this.#present = undefined;
    state.describe(node);
    this.#dropEmpty(state);
  }

  setNamespace(name: string, labels: Labels | undefined): void {
    if (labels) this.#namespaces.set(name, labels);
    else this.#namespaces.delete(name);
    this.counts.forgetNamespaces();
  }

  /** Of all pods with a node. */
  get lowestPriority(): number {
    return Math.min(...this.#priorities.keys());
  }

  /** The pod runs on its node, or a decision assigned it. */
  place(pod: PodFacts): void {
    this.displace(pod.uid);
    this.#pods.set(pod.uid, pod);
    this.#priorities.set(pod.priority, (this.#priorities.get(pod.priority) ?? 0) + 1);
    this.#stateOf(pod.nodeName).add(pod);
    this.counts.add(pod);
  }

  displace(uid: string): PodFacts | undefined {
    const pod = this.#pods.get(uid);
    if (!pod) return undefined;
    this.#pods.delete(uid);
    const left = (this.#priorities.get(pod.priority) ?? 0) - 1;
    if (left > 0) this.#priorities.set(pod.priority, left);
    else this.#priorities.delete(pod.priority);
    this.counts.remove(pod);
    const node = this.#nodes.get(pod.nodeName);
    node?.remove(pod);
    if (node) this.#dropEmpty(node);
    return pod;
  }

  matching(query: PodQuery): PerNode {
    return this.counts.of(query, () => this.#pods.values());
  }

  /** A preemption makes room for the pod on a node; pods of lower priority do not use it. */
  nominate(pod: PodFacts, nodeName: string): void {
    this.withdraw(pod.uid);
    const nominated = this.#nominated.get(nodeName);
    if (nominated) nominated.set(pod.uid, pod);
    else this.#nominated.set(nodeName, new Map([[pod.uid, pod]]));
  }

  withdraw(uid: string): void {
    for (const [name, pods] of this.#nominated) if (pods.delete(uid) && pods.size === 0) this.#nominated.delete(name);
  }

  nominatedOn(nodeName: string): Iterable<PodFacts> | undefined {
    return this.#nominated.size === 0 ? undefined : this.#nominated.get(nodeName)?.values();
  }

  #stateOf(name: string): NodeState {
    let state = this.#nodes.get(name);
    if (!state) this.#nodes.set(name, (state = new NodeState(name)));
    return state;
  }

  #dropEmpty(state: NodeState): void {
    if (!state.present && state.pods.size === 0) this.#nodes.delete(state.name);
  }
}
