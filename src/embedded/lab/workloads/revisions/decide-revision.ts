import type { ControllerRevision } from "../workload-objects.ts";
import { byRevision, newRevision, sameData, type Revised, type TemplateOwner } from "./controller-revision.ts";

export type RevisionDecision =
  | { type: "there"; revision: ControllerRevision }
  /** An older template is wanted again: it becomes the newest. `revision` has the new number already. */
  | { type: "renumber"; revision: ControllerRevision }
  | { type: "create"; revision: ControllerRevision };

/** Which revision the owner's template is, among those it has. */
export function decideRevision(
  of: Revised,
  owner: TemplateOwner,
  revisions: readonly ControllerRevision[],
): RevisionDecision {
  const oldestFirst = revisions.toSorted(byRevision);
  const latest = oldestFirst.at(-1);
  const wanted = newRevision(of, owner, (latest?.revision ?? 0) + 1, owner.status?.collisionCount ?? 0);
  if (latest && sameData(latest, wanted)) return { type: "there", revision: latest };
  const equal = oldestFirst.findLast((revision) => sameData(revision, wanted));
  if (equal) return { type: "renumber", revision: { ...equal, revision: wanted.revision } };
  return { type: "create", revision: wanted };
}

/** Revisions over the limit, of those that no pod and no status names. Oldest first. */
export function outdatedRevisions(
  revisions: readonly ControllerRevision[],
  isLive: (revision: ControllerRevision) => boolean,
  limit: number,
): ControllerRevision[] {
  const history = revisions.filter((revision) => !isLive(revision)).toSorted(byRevision);
  return history.slice(0, Math.max(0, history.length - limit));
}
