import { equal } from "../../../../language/object/json.ts";
import type { Node } from "../workload-objects.ts";

const obstacles = [
  "unschedulable",
  "name",
  "taints",
  "node affinity",
  "ports",
  "resources",
  "spread",
  "pod affinity",
  "claims",
] as const;

/** Which filter kept a pod from a node. A change that may remove the obstacle puts the pod back into the queue. */
export type Obstacle = (typeof obstacles)[number];

/** A filter's refusal of a node. */
export interface Rejection {
  obstacle: Obstacle;
  /** In kube-scheduler's words, as `kubectl describe pod` shows them. */
  reasons: readonly string[];
  /** Whether the node would pass if pods of lower priority were deleted from it. */
  preemptionMayHelp: boolean;
}

/** The obstacles that a change of a node may remove. Heartbeats remove none. */
export function removedByNodeChange(before: Node | undefined, after: Node | undefined): readonly Obstacle[] {
  if (!before) return obstacles;
  if (!after) return ["spread"];
  const removed = new Set<Obstacle>();
  if (!equal(before.metadata.labels, after.metadata.labels))
    for (const obstacle of ["node affinity", "spread", "pod affinity"] as const) removed.add(obstacle);
  if (!equal(before.spec?.taints, after.spec?.taints))
    for (const obstacle of ["taints", "spread"] as const) removed.add(obstacle);
  if (before.spec?.unschedulable !== after.spec?.unschedulable) removed.add("unschedulable");
  if (!equal(before.status?.allocatable, after.status?.allocatable)) removed.add("resources");
  return [...removed];
}

/** A new pod on a node may satisfy the pod affinity of others. */
export const removedByPodAdded: readonly Obstacle[] = ["pod affinity", "spread"];
/** A pod that leaves a node frees resources and ports, and takes its anti-affinity with it. */
export const removedByPodDeleted: readonly Obstacle[] = ["resources", "ports", "pod affinity", "spread"];
