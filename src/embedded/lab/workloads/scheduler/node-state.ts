import type { Taint } from "kubernetes-types/core/v1.js";
import type { Node } from "../workload-objects.ts";
import type { HostPort, PodFacts } from "./pod-facts.ts";
import { amountsOf, type ResourceAmounts } from "./resource-amounts.ts";

const none: Readonly<Record<string, string>> = {};

/** A node, its pods, and the sums that filters and scores use. */
export class NodeState {
  readonly name: string;
  /** Whether the Node exists. Its pods may be known before it, or outlive it. */
  present = false;
  labels: Readonly<Record<string, string>> = none;
  taints: readonly Taint[] = [];
  unschedulable = false;
  allocatable: ResourceAmounts = new Map();
  /** The resources of `allocatable` that every decision uses. */
  total = { cpu: 0, memory: 0, pods: 0 };
  readonly pods = new Map<string, PodFacts>();
  readonly requested = new Map<string, number>();
  /** Allocatable less requested; negative if the node is overcommitted. */
  readonly #free = new Map<string, number>();
  readonly weighed = { cpu: 0, memory: 0 };
  ports: HostPort[] = [];

  constructor(name: string) {
    this.name = name;
  }

  describe(node: Node | undefined): void {
    this.present = node !== undefined;
    this.labels = node?.metadata.labels ?? none;
    this.taints = node?.spec?.taints ?? [];
    this.unschedulable = node?.spec?.unschedulable ?? false;
    this.allocatable = amountsOf(node?.status?.allocatable);
    const totalOf = (resource: string): number => this.allocatable.get(resource) ?? 0;
    this.total = { cpu: totalOf("cpu"), memory: totalOf("memory"), pods: totalOf("pods") };
    this.#free.clear();
    for (const name of this.allocatable.keys()) this.#refresh(name);
    for (const name of this.requested.keys()) this.#refresh(name);
  }

  add(pod: PodFacts): void {
    this.pods.set(pod.uid, pod);
    this.#count(pod, 1);
    if (pod.ports.length > 0) this.ports = [...this.ports, ...pod.ports];
  }

  remove(pod: PodFacts): void {
    if (!this.pods.delete(pod.uid)) return;
    this.#count(pod, -1);
    if (pod.ports.length > 0) this.ports = [...this.pods.values()].flatMap(({ ports }) => ports);
  }

  free(resource: string): number {
    return this.#free.get(resource) ?? 0;
  }

  #refresh(resource: string): void {
    this.#free.set(resource, (this.allocatable.get(resource) ?? 0) - (this.requested.get(resource) ?? 0));
  }

  #count(pod: PodFacts, sign: 1 | -1): void {
    for (const [name, amount] of pod.requests) {
      this.requested.set(name, (this.requested.get(name) ?? 0) + sign * amount);
      this.#refresh(name);
    }
    this.weighed.cpu += sign * pod.weighed.cpu;
    this.weighed.memory += sign * pod.weighed.memory;
  }
}
