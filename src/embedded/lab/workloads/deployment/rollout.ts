import { isFinished } from "../pods/pod-state.ts";
import { replicasOf } from "../pods/replicas.ts";
import type { Pod } from "../workload-objects.ts";
import type { Member, RolloutDraft } from "./rollout-draft.ts";

/** One step of a rolling update: the new ReplicaSet grows within maxSurge, else the old ones shrink within maxUnavailable. */
export function rollForward(draft: RolloutDraft): void {
  const fresh = draft.fresh ?? draft.create(sizeOfNew(draft, 0));
  const size = replicasOf(fresh.planned);
  const target = sizeOfNew(draft, size);
  if (target === size) shrinkOld(draft, fresh);
  else draft.scale(fresh, target);
}

/** The size that the new ReplicaSet may have now. */
function sizeOfNew({ all, bounds: { replicas, surge } }: RolloutDraft, size: number): number {
  if (size >= replicas) return replicas;
  const room = replicas + surge - sum(all, ({ planned }) => replicasOf(planned));
  return room <= 0 ? size : size + Math.min(room, replicas - size);
}

function shrinkOld(draft: RolloutDraft, fresh: Member): void {
  const { all, old, bounds } = draft;
  // The status of a ReplicaSet is of an earlier size: its controller will update it.
  if (all.some(isBehind)) return;
  const least = bounds.replicas - bounds.unavailable;
  const missing = replicasOf(fresh.planned) - availableOf(fresh);
  let room = sum(all, ({ planned }) => replicasOf(planned)) - least - missing;
  if (room <= 0) return;
  // Unavailable pods first: deleting them costs no availability, and they could block the rollout.
  for (const member of old) {
    const size = replicasOf(member.planned);
    const idle = Math.min(room, size - availableOf(member));
    if (idle <= 0) continue;
    draft.scale(member, size - idle);
    room -= idle;
  }
  let spare = sum(all, availableOf) - least;
  for (const member of old) {
    const size = replicasOf(member.planned);
    const fewer = Math.min(size, spare);
    if (fewer <= 0) continue;
    draft.scale(member, size - fewer);
    spare -= fewer;
  }
}

/** One step of Recreate: no new pod before the last old one is gone. */
export function recreate(draft: RolloutDraft, podsOf: (uid: string) => readonly Pod[]): void {
  const { old, bounds } = draft;
  const shrinking = old.filter((member) => replicasOf(member.planned) > 0 && draft.scale(member, 0));
  if (shrinking.length > 0 || old.some((member) => isRunning(member, podsOf))) return;
  const fresh = draft.fresh ?? draft.create(bounds.replicas);
  if (replicasOf(fresh.planned) !== bounds.replicas) draft.scale(fresh, bounds.replicas);
}

function isRunning({ planned }: Member, podsOf: (uid: string) => readonly Pod[]): boolean {
  return (planned.status?.replicas ?? 0) > 0 || podsOf(planned.metadata.uid ?? "").some((pod) => !isFinished(pod));
}

/** An outdated status may count more pods than planned: those are being deleted. */
function availableOf({ planned }: Member): number {
  return Math.min(replicasOf(planned), planned.status?.availableReplicas ?? 0);
}

function isBehind({ planned: { metadata, status } }: Member): boolean {
  return (metadata.generation ?? 0) > (status?.observedGeneration ?? 0);
}

function sum(members: readonly Member[], count: (member: Member) => number): number {
  return members.reduce((total, member) => total + count(member), 0);
}
