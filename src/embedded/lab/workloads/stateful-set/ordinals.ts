import { replicasOf } from "../pods/replicas.ts";
import type { Pod, StatefulSet } from "../workload-objects.ts";

/** The number at the end of the name of a pod of this set; undefined for any other pod. */
export function ordinalOf(pod: Pod, set: StatefulSet): number | undefined {
  const { name = "" } = pod.metadata;
  const dash = name.lastIndexOf("-");
  const digits = name.slice(dash + 1);
  if (dash < 0 || name.slice(0, dash) !== set.metadata.name) return undefined;
  return /^\d{1,10}$/.test(digits) && Number(digits) < 2 ** 31 ? Number(digits) : undefined;
}

/** The numbers that the set's pods have: from `start`, before `end`. */
export function ordinalsOf(set: StatefulSet): { start: number; end: number } {
  const start = set.spec?.ordinals?.start ?? 0;
  return { start, end: start + replicasOf(set) };
}

export function isInRange(ordinal: number, set: StatefulSet): boolean {
  const { start, end } = ordinalsOf(set);
  return ordinal >= start && ordinal < end;
}
