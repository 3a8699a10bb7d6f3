import { parseTime } from "../../../language/object/time.ts";
import { ownAnnotations } from "../node-annotations.ts";
import type { RolloutNode } from "../rollout-node.ts";

/** Stored on the Node while a drain runs: when it began, and what is in its way. */
export interface DrainRecord {
  /** The value of `desiredDrain` that is carried out. */
  readonly request: string;
  /** RFC 3339. */
  readonly since: string;
  readonly blocked: readonly BlockedPod[];
  /** Pods that wait beside those in `blocked`. */
  readonly more?: number | undefined;
  /** The last event about how long it takes. */
  readonly warned?: "DrainThresholdExceeded" | "DrainFailed" | undefined;
}

export interface BlockedPod {
  /** `namespace/name` */
  readonly pod: string;
  /** PodDisruptionBudgets that select it. */
  readonly budgets: readonly string[];
  readonly message: string;
}

export function readDrain({ metadata }: RolloutNode): DrainRecord | undefined {
  const text = metadata.annotations?.[ownAnnotations.drain];
  if (text === undefined) return undefined;
  try {
    const read = JSON.parse(text) as DrainRecord | null;
    return read && parseTime(read.since) !== undefined && Array.isArray(read.blocked) ? read : undefined;
  } catch {
    // Another client wrote it: the drain starts again.
    return undefined;
  }
}

/** `pod a/b: PodDisruptionBudget a/c allows no further disruption` */
export function describeBlocked({ pod, budgets, message }: BlockedPod): string {
  if (budgets.length === 0) return `pod ${pod}: ${message}`;
  return `pod ${pod}: PodDisruptionBudget ${budgets.join(" and ")} allows no further disruption`;
}

/** What a user can do about budgets. Where there are none, the messages of the pods say it. */
export function unblocking(blocked: readonly BlockedPod[]): string[] {
  const isBudget = blocked.some(({ budgets }) => budgets.length > 0);
  return isBudget ? ["change the budget or delete the pods to let the drain go on"] : [];
}
