/** What kept a pod from a node; also what kind of change could let it there. */
export type Obstacle =
  | "unschedulable"
  | "name"
  | "taints"
  | "node affinity"
  | "ports"
  | "resources"
  | "spread"
  | "pod affinity";

/** Why a node is not for a pod. */
export interface Finding {
  obstacle: Obstacle;
  /** In the words that users of `kubectl describe pod` know. */
  reasons: readonly string[];
  /** Whether the node would do if some pods left it. */
  helpedByLeaving: boolean;
}
