import type { Taint } from "kubernetes-types/core/v1.js";
import { parseTime } from "../../../../language/object/time.ts";
import { isTerminating } from "../pods/pod-state.ts";
import { tolerates } from "../scheduler/tolerations.ts";
import type { Pod } from "../workload-objects.ts";

/** Which pods of a node its taints drive away now, and when to look again. */
export function evictions(
  taints: readonly Taint[],
  pods: readonly Pod[],
  now: number,
): { evict: Pod[]; nextMs?: number } {
  const driving = taints.filter(({ effect }) => effect === "NoExecute");
  const evict: Pod[] = [];
  let next = Infinity;
  if (driving.length === 0) return { evict };
  for (const pod of pods) {
    if (isTerminating(pod)) continue;
    const at = Math.min(...driving.map((taint) => staysUntil(pod, taint, now)));
    if (at <= now) evict.push(pod);
    else next = Math.min(next, at);
  }
  return { evict, ...(Number.isFinite(next) && { nextMs: next - now }) };
}

/** Counted from when the taint came, so that whoever takes over after a crash does not start anew. */
function staysUntil({ spec }: Pod, taint: Taint, now: number): number {
  const toleration = spec?.tolerations?.find((one) => tolerates(one, taint));
  if (!toleration) return -Infinity;
  if (toleration.tolerationSeconds === undefined) return Infinity;
  return (parseTime(taint.timeAdded ?? "") ?? now) + Math.max(0, toleration.tolerationSeconds) * 1000;
}
