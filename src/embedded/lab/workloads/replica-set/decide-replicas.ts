import { replicasOf } from "../pods/replicas.ts";
import type { Pod, ReplicaSet } from "../workload-objects.ts";
import { inDeletionOrder } from "./deletion-order.ts";

export interface ReplicasInput {
  replicaSet: ReplicaSet;
  /** Its pods that are neither finished nor terminating. */
  active: readonly Pod[];
  /** Pods of all ReplicaSets of the same owner: pods on nodes with many of them are deleted first. */
  related: readonly Pod[];
  now: number;
}

export type ReplicasDecision =
  | { type: "enough" }
  | { type: "create"; count: number }
  | { type: "delete"; pods: readonly Pod[] };

/** The most pods that a pass creates or deletes. */
const burst = 500;

export function decideReplicas({ replicaSet, active, related, now }: ReplicasInput): ReplicasDecision {
  const surplus = active.length - replicasOf(replicaSet);
  // A deleted ReplicaSet creates no pods, or its deletion would never end.
  if (surplus === 0 || replicaSet.metadata.deletionTimestamp !== undefined) return { type: "enough" };
  if (surplus < 0) return { type: "create", count: Math.min(burst, -surplus) };
  const order = surplus < active.length ? inDeletionOrder(active, related, now) : active;
  return { type: "delete", pods: order.slice(0, Math.min(burst, surplus)) };
}
