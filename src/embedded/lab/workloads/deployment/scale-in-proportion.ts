import { byAge } from "../object-fields.ts";
import { replicasOf } from "../pods/replicas.ts";
import { isRolling } from "./bounds.ts";
import { desiredReplicas, maxReplicas } from "./revision.ts";
import type { Member, RolloutDraft } from "./rollout-draft.ts";

/** The size of the Deployment changed, or it is paused: only sizes change, the rollout does not continue. */
export function scaleInProportion(draft: RolloutDraft): void {
  const { replicas } = draft.bounds;
  const { active } = draft;
  const newest = draft.fresh ?? draft.old.at(-1);
  const only = active.length === 1 ? active[0] : active.length === 0 ? newest : undefined;
  if (only) {
    if (replicasOf(only.planned) !== replicas) draft.scale(only, replicas);
  } else if (isSaturated(draft)) {
    for (const member of draft.old) if (replicasOf(member.planned) > 0) draft.scale(member, 0);
  } else if (isRolling(draft.deployment)) shareOut(draft, active);
}

/** Whether an active ReplicaSet was last scaled for another size of the Deployment. */
export function wasResized({ active, bounds }: RolloutDraft): boolean {
  return active.some(({ planned }) => {
    const desired = desiredReplicas(planned);
    return desired !== undefined && desired !== bounds.replicas;
  });
}

function isSaturated({ fresh, bounds: { replicas } }: RolloutDraft): boolean {
  if (!fresh) return false;
  const { planned } = fresh;
  return (
    replicasOf(planned) === replicas &&
    desiredReplicas(planned) === replicas &&
    (planned.status?.availableReplicas ?? 0) === replicas
  );
}

/** Scales each ReplicaSet by its share; the largest one gets the rest of rounding. */
function shareOut(draft: RolloutDraft, active: readonly Member[]): void {
  const { replicas, surge } = draft.bounds;
  const allowed = replicas > 0 ? replicas + surge : 0;
  const toAdd = allowed - active.reduce((sum, { planned }) => sum + replicasOf(planned), 0);
  const largestFirst = active.toSorted(
    (a, b) =>
      replicasOf(b.planned) - replicasOf(a.planned) ||
      (toAdd > 0 ? byAge(b.planned, a.planned) : byAge(a.planned, b.planned)),
  );
  let added = 0;
  const sizes = largestFirst.map((member) => {
    const share = proportion(draft, member, toAdd, added);
    added += share;
    return replicasOf(member.planned) + share;
  });
  largestFirst.forEach((member, index) => {
    const leftOver = index === 0 ? toAdd - added : 0;
    draft.scale(member, Math.max(0, sizes[index]! + leftOver));
  });
}

function proportion(draft: RolloutDraft, member: Member, toAdd: number, added: number): number {
  if (toAdd === added) return 0;
  const share = fraction(draft, member);
  return toAdd > 0 ? Math.min(share, toAdd - added) : Math.max(share, toAdd - added);
}

function fraction({ bounds, deployment }: RolloutDraft, { planned }: Member): number {
  const size = replicasOf(planned);
  if (bounds.replicas === 0) return -size;
  const before = maxReplicas(planned) || (deployment.status?.replicas ?? 0);
  if (before === 0) return 0;
  return Math.round((size * (bounds.replicas + bounds.surge)) / before) - size;
}
