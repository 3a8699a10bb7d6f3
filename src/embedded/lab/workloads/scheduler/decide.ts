import type { ClusterState } from "./cluster-state.ts";
import { filtersFor, firstRejection } from "./filters.ts";
import type { Rejection, Obstacle } from "./obstacle.ts";
import type { NodeState } from "./node-state.ts";
import type { PodFacts } from "./pod-facts.ts";
import { bestNode } from "./scores.ts";

export type Decision =
  | { type: "node"; name: string }
  | {
      type: "unschedulable";
      message: string;
      obstacles: ReadonlySet<Obstacle>;
      rejections: ReadonlyMap<string, Rejection>;
    };

/** The node for a pod, or why no node fits. */
export function decideNode(pod: PodFacts, state: ClusterState): Decision {
  const filters = filtersFor(pod, state);
  const nominated = pod.nominatedNode ? state.node(pod.nominatedNode) : undefined;
  if (nominated?.present && !firstRejection(filters, nominated)) return { type: "node", name: nominated.name };
  const rejections = new Map<string, Rejection>();
  const fitting: NodeState[] = [];
  for (const node of candidates(pod, state)) {
    const rejection = firstRejection(filters, node);
    if (rejection) rejections.set(node.name, rejection);
    else fitting.push(node);
  }
  const best = bestNode(pod, fitting, state);
  if (best) return { type: "node", name: best.name };
  return unschedulable(state, rejections);
}

/** For a pod whose affinity names nodes, as DaemonSet pods do, only those. */
function candidates(pod: PodFacts, state: ClusterState): readonly NodeState[] {
  const { names } = pod.nodes;
  if (!names) return state.nodes;
  return [...names].flatMap((name) => {
    const node = state.node(name);
    return node?.present ? [node] : [];
  });
}

function unschedulable(state: ClusterState, rejections: Map<string, Rejection>): Decision {
  const total = state.nodes.length;
  const counts = new Map<string, number>();
  const obstacles = new Set<Obstacle>();
  for (const { obstacle, reasons } of rejections.values()) {
    obstacles.add(obstacle);
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  if (rejections.size < total) {
    const reason = "node(s) didn't satisfy plugin(s) [NodeAffinity]";
    counts.set(reason, (counts.get(reason) ?? 0) + total - rejections.size);
  }
  if (rejections.size < total || total === 0) obstacles.add("node affinity");
  if (total === 0)
    return { type: "unschedulable", message: "no nodes available to schedule pods", obstacles, rejections };
  const reasons = Array.from(counts, ([reason, count]) => `${count} ${reason}`).toSorted();
  return {
    type: "unschedulable",
    message: `0/${total} nodes are available: ${reasons.join(", ")}.`,
    obstacles,
    rejections,
  };
}
