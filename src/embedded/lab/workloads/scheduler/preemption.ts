import type { ClusterState } from "./cluster-state.ts";
import { filtersFor, firstRejection } from "./filters.ts";
import type { Rejection } from "./obstacle.ts";
import type { NodeState } from "./node-state.ts";
import type { PodFacts } from "./pod-facts.ts";

/** A PodDisruptionBudget: the pods it covers, and how many of them may be disrupted. */
export interface ProtectedPods {
  covers: (pod: PodFacts) => boolean;
  allowed: number;
}

export type Preemption =
  | { type: "victims"; nodeName: string; victims: readonly PodFacts[] }
  /** Victims on the nominated node are terminating already. */
  | { type: "waiting" }
  | { type: "none"; message: string };

interface Candidate {
  node: NodeState;
  victims: PodFacts[];
  violations: number;
}

/** The search ends after this many candidates. */
const mostCandidates = 100;

/** The pods to delete so that the pod can run. Changes the state during the search, and restores it. */
export function decidePreemption(
  pod: PodFacts,
  rejections: ReadonlyMap<string, Rejection>,
  state: ClusterState,
  budgets: readonly ProtectedPods[],
): Preemption {
  if (!pod.mayPreempt) return { type: "none", message: "not eligible due to preemptionPolicy=Never." };
  const nominated = pod.nominatedNode ? state.node(pod.nominatedNode) : undefined;
  if (nominated && hasLeaving(pod, nominated)) return { type: "waiting" };
  if (state.lowestPriority >= pod.priority) {
    const resolvable = [...rejections.values()].filter((rejection) => rejection.preemptionMayHelp).length;
    return { type: "none", message: noVictims(state.nodes.length, state.nodes.length - resolvable) };
  }
  const found: Candidate[] = [];
  let unhelpful = state.nodes.length;
  for (const [name, rejection] of rejections) {
    const node = state.node(name);
    if (!node || !rejection.preemptionMayHelp) continue;
    unhelpful--;
    const candidate = victimsOn(pod, node, state, budgets);
    if (candidate) found.push(candidate);
    if (found.length >= mostCandidates) break;
  }
  const best = found.toSorted(compare)[0];
  if (best) return { type: "victims", nodeName: best.node.name, victims: best.victims };
  return { type: "none", message: noVictims(state.nodes.length, unhelpful) };
}

function hasLeaving(pod: PodFacts, node: NodeState): boolean {
  for (const other of node.pods.values()) if (other.terminating && other.priority < pod.priority) return true;
  return false;
}

/** Removes all pods of lower priority, then puts back as many as fit, the most important first. */
function victimsOn(
  pod: PodFacts,
  node: NodeState,
  state: ClusterState,
  budgets: readonly ProtectedPods[],
): Candidate | undefined {
  const lesser = [...node.pods.values()].filter((other) => other.priority < pod.priority).toSorted(byImportance);
  if (lesser.length === 0) return undefined;
  const fits = (): boolean => !firstRejection(filtersFor(pod, state), node);
  for (const other of lesser) state.displace(other.uid);
  try {
    if (!fits()) return undefined;
    const left = budgets.map(({ allowed }) => allowed);
    const isProtected = lesser.map((other) => {
      const spent = budgets.flatMap(({ covers }, i) => (covers(other) ? [i] : []));
      for (const i of spent) left[i]!--;
      return spent.some((i) => left[i]! < 0);
    });
    const victims: PodFacts[] = [];
    let violations = 0;
    const tryToKeep = (other: PodFacts, costly: boolean): void => {
      state.place(other);
      if (fits()) return;
      state.displace(other.uid);
      victims.push(other);
      if (costly) violations++;
    };
    for (const [i, other] of lesser.entries()) if (isProtected[i]) tryToKeep(other, true);
    for (const [i, other] of lesser.entries()) if (!isProtected[i]) tryToKeep(other, false);
    return { node, victims: victims.toSorted(byImportance), violations };
  } finally {
    for (const other of lesser) state.place(other);
  }
}

/** Highest priority first, then the earliest start. */
function byImportance(a: PodFacts, b: PodFacts): number {
  if (a.priority !== b.priority) return b.priority - a.priority;
  return a.startedAt === b.startedAt ? (a.key < b.key ? -1 : 1) : a.startedAt < b.startedAt ? -1 : 1;
}

/** Fewest violated budgets, then the lowest priorities of victims, then the fewest, then the latest start. */
function compare(a: Candidate, b: Candidate): number {
  const top = ({ victims }: Candidate): number => victims[0]?.priority ?? -Infinity;
  const sum = ({ victims }: Candidate): number =>
    victims.reduce((total, { priority }) => total + priority + 2 ** 31, 0);
  return (
    a.violations - b.violations ||
    order(top(a), top(b)) ||
    order(sum(a), sum(b)) ||
    order(b.victims[0]?.startedAt ?? 0, a.victims[0]?.startedAt ?? 0) ||
    (a.node.name < b.node.name ? -1 : 1)
  );
}

function order(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function noVictims(total: number, unhelpful: number): string {
  const reasons: string[] = [];
  if (total > unhelpful) reasons.push(`${total - unhelpful} No preemption victims found for incoming pod`);
  if (unhelpful > 0) reasons.push(`${unhelpful} Preemption is not helpful for scheduling`);
  return `0/${total} nodes are available: ${reasons.toSorted().join(", ")}.`;
}
