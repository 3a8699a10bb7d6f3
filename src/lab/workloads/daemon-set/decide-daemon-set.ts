import type { PlannedEvent } from "../../../object/plan.ts";
import { isFinished, isTerminating } from "../pods/pod-state.ts";
import type { DaemonSet, Node, Pod } from "../workload-objects.ts";
import { nodeOf } from "./daemon-pod.ts";
import type { NodeFit } from "./node-fit.ts";
import { rollingUpdate, surgeOf } from "./rolling-update.ts";

/** A node, whether it should have a pod, and the pods it has, the oldest first. */
export interface DaemonNode {
  name: string;
  fit: NodeFit;
  pods: readonly Pod[];
}

export interface DaemonSetInput {
  daemonSet: DaemonSet;
  nodes: readonly DaemonNode[];
  /** Pods whose node is not there. */
  stray: readonly Pod[];
  /** Of the template as it is. */
  hash: string;
  now: number;
  /** Whether a pod that failed on a node may be replaced now; 0, or how long it must wait. */
  restMs: (nodeName: string) => number;
}

export interface DaemonSetDecision {
  /** Names of nodes that need a pod. */
  create: string[];
  delete: Pod[];
  /** Nodes whose pods failed, and are replaced. */
  replaced: string[];
  events: Omit<PlannedEvent, "regarding">[];
  requeueAfterMs?: number;
}

/** The nodes with their pods. What is on no node that exists is stray. */
export function daemonNodes(
  nodes: readonly Node[],
  pods: readonly Pod[],
  fit: (node: Node) => NodeFit,
): { nodes: DaemonNode[]; stray: Pod[] } {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const name = nodeOf(pod);
    const there = byNode.get(name);
    if (there) there.push(pod);
    else byNode.set(name, [pod]);
  }
  const found = nodes.map((node) => {
    const name = node.metadata.name ?? "";
    const there = byNode.get(name) ?? [];
    byNode.delete(name);
    return { name, fit: fit(node), pods: there.toSorted(byAge) };
  });
  return { nodes: found, stray: [...byNode.values()].flat() };
}

/** Which pods to make and which to delete: first what each node lacks or has too much, then what is out of date. */
export function decideDaemonSet(input: DaemonSetInput): DaemonSetDecision {
  const decision: DaemonSetDecision = { create: [], delete: [], replaced: [], events: [] };
  for (const node of input.nodes) decideNode(node, input, decision);
  // A pod that was bound belongs to its node's end; one that never was would wait forever.
  for (const pod of input.stray) if (!pod.spec?.nodeName && !isTerminating(pod)) decision.delete.push(pod);
  if (decision.create.length > 0 || decision.delete.length > 0) return decision;
  if (input.daemonSet.spec?.updateStrategy?.type === "OnDelete") return decision;
  const update = rollingUpdate(input);
  decision.create.push(...update.create);
  decision.delete.push(...update.delete);
  return decision;
}

function decideNode(node: DaemonNode, { daemonSet, restMs }: DaemonSetInput, decision: DaemonSetDecision): void {
  const { name, fit, pods } = node;
  if (fit === "never") {
    decision.delete.push(...pods.filter((pod) => !isTerminating(pod)));
    return;
  }
  const alive: Pod[] = [];
  for (const pod of pods) {
    if (isTerminating(pod)) continue;
    if (!isFinished(pod)) {
      alive.push(pod);
      continue;
    }
    const wait = restMs(name);
    if (wait > 0) {
      decision.requeueAfterMs = Math.min(decision.requeueAfterMs ?? Infinity, wait);
      continue;
    }
    const failed = pod.status?.phase === "Failed";
    decision.events.push({
      type: failed ? "Warning" : "Normal",
      reason: failed ? "FailedDaemonPod" : "SucceededDaemonPod",
      message: `Found ${failed ? "failed" : "succeeded"} daemon pod ${pod.metadata.namespace}/${pod.metadata.name} on node ${name}, will try to ${failed ? "kill" : "delete"} it`,
    });
    decision.delete.push(pod);
    decision.replaced.push(name);
  }
  if (pods.length === 0) {
    if (fit === "run") decision.create.push(name);
    return;
  }
  // While one surges, an old and a new pod are both right.
  if (surgeOf(daemonSet, 1) === 0) decision.delete.push(...alive.slice(1));
}

function byAge(a: Pod, b: Pod): number {
  const [first, second] = [a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? ""];
  if (first !== second) return first < second ? -1 : 1;
  return (a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1;
}
