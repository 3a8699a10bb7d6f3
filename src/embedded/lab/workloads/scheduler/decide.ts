import type { ClusterState } from "./cluster-state.ts";
import { filtersFor, firstFinding } from "./filters.ts";
import type { Finding, Obstacle } from "./finding.ts";
import type { NodeState } from "./node-state.ts";
import type { PodFacts } from "./pod-facts.ts";
import { bestNode } from "./scores.ts";

export type Decision =
  | { type: "node"; name: string }
  | {
      type: "unschedulable";
      message: string;
      obstacles: ReadonlySet<Obstacle>;
      findings: ReadonlyMap<string, Finding>;
    };

/** Where a pod should run. Changes nothing. */
export function decideNode(pod: PodFacts, state: ClusterState): Decision {
  const filters = filtersFor(pod, state);
  const nominated = pod.nominatedNode ? state.node(pod.nominatedNode) : undefined;
  if (nominated?.present && !firstFinding(filters, nominated)) return { type: "node", name: nominated.name };
  const findings = new Map<string, Finding>();
  const fitting: NodeState[] = [];
  for (const node of candidates(pod, state)) {
    const finding = firstFinding(filters, node);
    if (finding) findings.set(node.name, finding);
    else fitting.push(node);
  }
  const best = bestNode(pod, fitting, state);
  if (best) return { type: "node", name: best.name };
  return unschedulable(state, findings);
}

/** A pod that names its nodes, as those of DaemonSets do, needs no look at the others. */
function candidates(pod: PodFacts, state: ClusterState): readonly NodeState[] {
  const { names } = pod.nodes;
  if (!names) return state.nodes;
  return [...names].flatMap((name) => {
    const node = state.node(name);
    return node?.present ? [node] : [];
  });
}

function unschedulable(state: ClusterState, findings: Map<string, Finding>): Decision {
  const total = state.nodes.length;
  const counts = new Map<string, number>();
  const obstacles = new Set<Obstacle>();
  for (const { obstacle, reasons } of findings.values()) {
    obstacles.add(obstacle);
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  if (findings.size < total) {
    const reason = "node(s) didn't satisfy plugin(s) [NodeAffinity]";
    counts.set(reason, (counts.get(reason) ?? 0) + total - findings.size);
  }
  if (findings.size < total || total === 0) obstacles.add("node affinity");
  if (total === 0)
    return { type: "unschedulable", message: "no nodes available to schedule pods", obstacles, findings };
  const reasons = Array.from(counts, ([reason, count]) => `${count} ${reason}`).toSorted();
  return {
    type: "unschedulable",
    message: `0/${total} nodes are available: ${reasons.join(", ")}.`,
    obstacles,
    findings,
  };
}
