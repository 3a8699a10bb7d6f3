import type { PlannedEvent } from "../../../../language/object/plan.ts";
import { isFinished, isTerminating } from "../pods/pod-state.ts";
import type { Pod } from "../workload-objects.ts";
import type { DaemonNode, DaemonSetInput } from "./daemon-nodes.ts";
import { rollingUpdate, surgeOf } from "./rolling-update.ts";

export interface DaemonSetDecision {
  /** Names of nodes that need a pod. */
  create: string[];
  delete: Pod[];
  /** Nodes whose pods failed, and are replaced. */
  replaced: string[];
  events: Omit<PlannedEvent, "regarding">[];
  requeueAfterMs?: number;
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
