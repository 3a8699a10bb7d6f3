import type { PlannedEvent } from "../../../../language/object/plan.ts";
import { isFinished, isTerminating } from "../pods/pod-state.ts";
import { byRevision, sameData } from "../revisions/controller-revision.ts";
import type { ControllerRevision, DaemonSet, Pod } from "../workload-objects.ts";
import type { DaemonNode, DaemonSetInput } from "./daemon-nodes.ts";
import { revisionLabel } from "./daemon-pod.ts";
import { rollingUpdate, surgeOf } from "./rolling-update.ts";

export interface DaemonSetDecision {
  /** Names of nodes that get a pod. */
  create: string[];
  delete: Pod[];
  /** Nodes whose failed pods are replaced. */
  replaced: string[];
  events: Omit<PlannedEvent, "regarding">[];
  requeueAfterMs?: number | undefined;
}

/** Which pods to create and delete: first missing and surplus ones of each node, then those of an old template. */
export function decideDaemonSet(input: DaemonSetInput): DaemonSetDecision {
  const decision: DaemonSetDecision = { create: [], delete: [], replaced: [], events: [] };
  for (const node of input.nodes) decideNode(node, input, decision);
  // The pod garbage collector deletes bound pods of deleted nodes; a pod that was never bound is deleted here.
  for (const pod of input.stray) if (!pod.spec?.nodeName && !isTerminating(pod)) decision.delete.push(pod);
  if (decision.create.length > 0 || decision.delete.length > 0) return decision;
  if (input.daemonSet.spec?.updateStrategy?.type === "OnDelete") return decision;
  const update = rollingUpdate(input);
  decision.create.push(...update.create);
  decision.delete.push(...update.delete);
  return decision;
}

function decideNode(node: DaemonNode, { daemonSet, backoffMs }: DaemonSetInput, decision: DaemonSetDecision): void {
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
    const wait = backoffMs(name);
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
  // During a surge, a node may have an old and a new pod.
  if (surgeOf(daemonSet, 1) === 0) decision.delete.push(...alive.slice(1));
}

/** The hash of a revision, which is also the label of its pods. */
export function hashOf({ metadata }: ControllerRevision): string {
  return metadata.labels?.[revisionLabel] ?? "";
}

export interface RevisionsInput {
  daemonSet: DaemonSet;
  current: ControllerRevision;
  revisions: readonly ControllerRevision[];
  pods: readonly Pod[];
}

/** Duplicates of the current revision, and the oldest revisions over the history limit that no pod has. */
export function outdatedRevisions({ daemonSet, current, revisions, pods }: RevisionsInput): ControllerRevision[] {
  const inUse = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? ""));
  const others = revisions.filter(({ metadata }) => metadata.name !== current.metadata.name);
  const duplicates = others.filter((one) => sameData(one, current));
  const old = others.filter((one) => !sameData(one, current)).toSorted(byRevision);
  const excess = Math.max(0, old.length - (daemonSet.spec?.revisionHistoryLimit ?? 10));
  return [...duplicates, ...old.filter((one) => !inUse.has(hashOf(one))).slice(0, excess)];
}
