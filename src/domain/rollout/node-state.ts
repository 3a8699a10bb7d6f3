import { findingsOf, type NodeUpdate, ownAnnotations, updateOf } from "./node-annotations.ts";
import type { RolloutNode } from "./rollout-node.ts";

/** How one node is judged, whatever its pool wants. The words are those of the machine config operator. */
export interface NodeState {
  readonly name: string;
  readonly node: RolloutNode;
  readonly update: NodeUpdate;
  /** What the node cannot have of its config, and what other processes have changed of it. */
  readonly findings: readonly string[];
  /** The condition that speaks against it, cordoned or not. Undefined: none. */
  readonly unhealthy: string | undefined;
  /** Why pods should not run there. Undefined: ready. */
  readonly notReady: string | undefined;
  readonly isReady: boolean;
  readonly cordonedBy: "operator" | "other" | undefined;
  /** Ready but for the cordon of another client. */
  readonly isOnlyCordoned: boolean;
  /** No agent has reported, and no config was wanted: the node is as it was installed. */
  readonly isUntouched: boolean;
  readonly isDone: boolean;
  readonly isDegraded: boolean;
  readonly isFailing: boolean;
  readonly isUnavailable: boolean;
  /** Nodes are told in the order of these texts. */
  readonly order: string;
}

export function judgeNode(node: RolloutNode): NodeState {
  const { name = "" } = node.metadata;
  const update = updateOf(node.metadata);
  const { current, desired, state, currentImage, desiredImage } = update;
  const isCordoned = node.spec?.unschedulable === true;
  const unhealthy = unhealthyCondition(node);
  const notReady = unhealthy ?? (isCordoned ? "cordoned" : undefined);
  const isDone = desired !== "" && current === desired && state === "Done" && currentImage === desiredImage;
  const isDegraded = state === "Degraded" || state === "Unreconcilable";
  const isFailing = current !== desired && isDegraded;
  const byOperator = node.metadata.annotations?.[ownAnnotations.cordonedFor] !== undefined;
  const cordonedBy = isCordoned ? (byOperator ? "operator" : "other") : undefined;
  return {
    name,
    node,
    update,
    // A node that is done has a reason only where its config drifted.
    findings: [...findingsOf(node.metadata), ...(isDone && update.reason !== "" ? [update.reason] : [])],
    unhealthy,
    notReady,
    isReady: notReady === undefined,
    cordonedBy,
    isOnlyCordoned: unhealthy === undefined && cordonedBy === "other",
    isUntouched: current === "" && desired === "" && state === "",
    isDone,
    isDegraded,
    isFailing,
    isUnavailable: notReady !== undefined || !(isDone || isFailing),
    order: orderOf(node),
  };
}

export function isUpdated({ isDone, update }: NodeState, target: string): boolean {
  return isDone && update.desired === target && update.desiredImage === "";
}

/** A ready node that no agent manages yet runs as it was installed. */
export function countsAsUnavailable({ isUnavailable, isUntouched, isReady }: NodeState): boolean {
  return isUnavailable && !(isUntouched && isReady);
}

/** Not told yet. */
export function isBehind({ update }: NodeState, target: string): boolean {
  return update.desired !== target || update.desiredImage !== "";
}

/** Conditions that are missing count as good; memory and processes are the kubelet's concern. */
function unhealthyCondition({ status }: RolloutNode): string | undefined {
  for (const { type, status: value } of status?.conditions ?? []) {
    const good = type === "Ready" ? "True" : "False";
    const counts = type === "Ready" || type === "DiskPressure" || type === "NetworkUnavailable";
    if (counts && value !== good) return `${type}=${value}`;
  }
  return undefined;
}

const zoneLabel = "topology.kubernetes.io/zone";

/** Nodes with a zone first, by zone, then by age, then by name: times of the API server are all in UTC and of the same length. */
function orderOf({ metadata: { name, labels, creationTimestamp } }: RolloutNode): string {
  const zone = labels?.[zoneLabel];
  return `${zone === undefined ? "2" : `1${zone}`}\0${creationTimestamp ?? ""}\0${name ?? ""}`;
}
