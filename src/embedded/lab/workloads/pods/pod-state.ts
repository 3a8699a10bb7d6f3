import { findCondition, isTrue } from "../../../../language/object/condition.ts";
import { parseTime } from "../../../../language/object/time.ts";
import type { Pod } from "../workload-objects.ts";

/** Neither finished nor terminating. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

export function isFinished({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isReady({ status }: Pod): boolean {
  return isTrue(status?.conditions, "Ready");
}

/** The time at which it became ready; undefined if it is not ready, or has no transition time. */
export function readySince({ status }: Pod): number | undefined {
  const ready = findCondition(status?.conditions, "Ready");
  return ready?.status === "True" ? parseTime(ready.lastTransitionTime ?? "") : undefined;
}

/** Ready for `minReadySeconds`. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds === 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Milliseconds until the next ready pod becomes available; undefined if none will. */
export function untilAvailable(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  if (minReadySeconds === 0) return undefined;
  let first: number | undefined;
  for (const pod of pods) {
    const since = readySince(pod);
    if (since === undefined || since + minReadySeconds * 1000 <= now) continue;
    first = Math.min(first ?? Infinity, since + minReadySeconds * 1000 - now);
  }
  return first;
}
