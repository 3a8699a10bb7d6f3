import type { ClusterState } from "./cluster-state.ts";
import { preferenceFor } from "../../../../language/object/scheduling/node-affinity.ts";
import type { NodeState } from "./node-state.ts";
import { affinityScore } from "./pod-affinity.ts";
import type { PodFacts } from "./pod-facts.ts";
import { tolerates } from "../../../../language/object/scheduling/tolerations.ts";
import { spreadCost } from "./topology-spread.ts";

interface Score {
  weight: number;
  of: (node: NodeState) => number;
  /** Whether the highest or the lowest value is the best. */
  prefers: "more" | "less";
}

/** The node with the highest score; of equal ones the node with the fewest pods, then the first by name. */
export function bestNode(pod: PodFacts, nodes: readonly NodeState[], state: ClusterState): NodeState | undefined {
  if (nodes.length < 2) return nodes[0];
  const totals = nodes.map((node) => leastAllocated(pod, node));
  for (const score of scoresFor(pod, nodes, state)) addScaled(totals, nodes, score);
  let best = 0;
  for (let i = 1; i < nodes.length; i++) {
    const ahead = totals[i]! - totals[best]!;
    if (ahead > 0 || (ahead === 0 && nodes[i]!.pods.size < nodes[best]!.pods.size)) best = i;
  }
  return nodes[best];
}

function scoresFor(pod: PodFacts, nodes: readonly NodeState[], state: ClusterState): Score[] {
  const scores: Score[] = [];
  if (nodes.some(({ taints }) => taints.length > 0))
    scores.push({ weight: 3, of: (node) => intolerable(pod, node), prefers: "less" });
  if (pod.nodes.preferred.length > 0)
    scores.push({ weight: 2, of: (node) => preferenceFor(pod.nodes, node), prefers: "more" });
  const cost = spreadCost(pod, state);
  if (cost) scores.push({ weight: 2, of: cost, prefers: "less" });
  const affinity = affinityScore(pod, state);
  if (affinity) scores.push({ weight: 2, of: affinity, prefers: "more" });
  return scores;
}

/** Scales a score from 0 for the worst of these nodes to 100 for the best, times its weight. */
function addScaled(totals: number[], nodes: readonly NodeState[], { weight, of, prefers }: Score): void {
  const values = nodes.map(of);
  let [low, high] = [Infinity, -Infinity];
  for (const value of values)
    if (Number.isFinite(value)) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  if (low > high) return;
  for (const [i, value] of values.entries()) {
    if (!Number.isFinite(value)) continue;
    const share = high === low ? 1 : (value - low) / (high - low);
    totals[i]! += weight * 100 * (prefers === "more" || high === low ? share : 1 - share);
  }
}

function intolerable(pod: PodFacts, node: NodeState): number {
  let count = 0;
  for (const taint of node.taints)
    if (taint.effect === "PreferNoSchedule" && !pod.tolerations.some((one) => tolerates(one, taint))) count++;
  return count;
}

/** The percentage of cpu and memory that would be left, on average. */
function leastAllocated(pod: PodFacts, node: NodeState): number {
  return (
    (left(node.total.cpu, node.weighed.cpu + pod.weighed.cpu) +
      left(node.total.memory, node.weighed.memory + pod.weighed.memory)) /
    2
  );
}

function left(total: number, taken: number): number {
  return total <= 0 || taken > total ? 0 : Math.floor(((total - taken) * 100) / total);
}
