import { isFinished, isTerminating } from "../pods/pod-state.ts";
import type { Pod } from "../workload-objects.ts";

/** A deleted node may register again under its name: its pods are kept for this long. */
export const quarantineMs = 40_000;

export type GoneNodeDecision =
  /** The node exists, or has no pods. */
  { type: "none" } | { type: "wait"; ms: number } | { type: "remove"; pods: readonly Pod[] };

export interface GoneNodeInput {
  exists: boolean;
  pods: readonly Pod[];
  /** On the monotonic clock: since when the node is known to be deleted. */
  since: number;
  monotonic: number;
}

export function decideGoneNode({ exists, pods, since, monotonic }: GoneNodeInput): GoneNodeDecision {
  if (exists || pods.length === 0) return { type: "none" };
  const ms = since + quarantineMs - monotonic;
  return ms > 0 ? { type: "wait", ms } : { type: "remove", pods };
}

/** The oldest finished pods over `kept`. */
export function excessFinished(pods: readonly Pod[], kept: number): Pod[] {
  const finished = pods.filter((pod) => isFinished(pod) && !isTerminating(pod));
  const oldestFirst = finished.toSorted((a, b) => (created(a) < created(b) ? -1 : 1));
  return oldestFirst.slice(0, Math.max(0, finished.length - kept));
}

function created({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? "";
}
