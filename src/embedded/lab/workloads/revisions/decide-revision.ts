import type { ControllerRevision } from "../workload-objects.ts";
import { byRevision, newRevision, sameData, type Revised, type TemplateOwner } from "./controller-revision.ts";

export type RevisionDecision =
  | { type: "exists"; revision: ControllerRevision }
  /** The template is an older one: its revision gets a new number and becomes the newest. */
  | { type: "renumber"; revision: ControllerRevision }
  | { type: "create"; revision: ControllerRevision };

/** The revision of the owner's template among the existing ones. */
export function decideRevision(
  of: Revised,
  owner: TemplateOwner,
  revisions: readonly ControllerRevision[],
): RevisionDecision {
  const oldestFirst = revisions.toSorted(byRevision);
  const latest = oldestFirst.at(-1);
  const wanted = newRevision(of, owner, (latest?.revision ?? 0) + 1, owner.status?.collisionCount ?? 0);
  if (latest && sameData(latest, wanted)) return { type: "exists", revision: latest };
  const equal = oldestFirst.findLast((revision) => sameData(revision, wanted));
  if (equal) return { type: "renumber", revision: { ...equal, revision: wanted.revision } };
  return { type: "create", revision: wanted };
}

/** The oldest revisions over the limit that are not in use. */
export function outdatedRevisions(
  revisions: readonly ControllerRevision[],
  isInUse: (revision: ControllerRevision) => boolean,
  limit: number,
): ControllerRevision[] {
  const history = revisions.filter((revision) => !isInUse(revision)).toSorted(byRevision);
  return history.slice(0, Math.max(0, history.length - limit));
}
