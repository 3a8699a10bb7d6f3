import type { ObjectMeta, OwnerReference } from "../../../language/object/meta.ts";

/** Finalizers that stand for the propagation policy of a deletion. */
export const FOREGROUND = "foregroundDeletion";
export const ORPHAN = "orphan";

/**
 * The state of the owner that a reference names. `deleting` waits for the deletion of its dependents, `orphaning` for the
 * removal of their references. `unknown`: its kind is not served. `misplaced`: a namespaced owner of a cluster-scoped object.
 */
export type OwnerState = "present" | "deleting" | "orphaning" | "gone" | "unknown" | "misplaced";

export interface Candidate {
  readonly metadata: ObjectMeta;
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
  /** Marked as deleted and no longer held by anything: its removal is still outstanding. */
  readonly released: boolean;
  /** Functions, because there may be thousands of dependents and few verdicts need them. */
  readonly hasDependents: () => boolean;
  readonly hasBlockingDependents: () => boolean;
  /** Its owners wait for it, directly or indirectly, while it waits for them. */
  readonly isInCircle: () => boolean;
}

export type Verdict =
  | { readonly type: "keep" }
  | { readonly type: "wait" | "release"; readonly finalizer: string }
  | { readonly type: "rewrite"; readonly references: readonly OwnerReference[] }
  | { readonly type: "delete"; readonly propagation: "Background" | "Foreground" | "Orphan" };

const keep: Verdict = { type: "keep" };

/** What to do with an object, by the rules of kube-controller-manager's garbage collector. */
export function judge(candidate: Candidate): Verdict {
  const { metadata, owners } = candidate;
  const without = (...states: OwnerState[]): Verdict => ({
    type: "rewrite",
    references: owners.filter(({ state }) => !states.includes(state)).map(({ reference }) => reference),
  });
  const some = (state: OwnerState): boolean => owners.some((owner) => owner.state === state);

  if (some("orphaning")) return without("orphaning");
  if (metadata.deletionTimestamp) return beingDeleted(candidate);
  if (owners.length === 0 || some("unknown") || some("misplaced")) return keep;
  if (some("present")) return some("gone") || some("deleting") ? without("gone", "deleting") : keep;
  // Its owner waits for it, so it must wait for its own dependents.
  if (some("deleting") && candidate.hasDependents()) return { type: "delete", propagation: "Foreground" };
  return { type: "delete", propagation: requestedPropagation(metadata) };
}

function beingDeleted({ metadata, released, owners, ...dependents }: Candidate): Verdict {
  if (released) return { type: "delete", propagation: "Background" };
  if (metadata.finalizers?.includes(ORPHAN))
    return { type: dependents.hasDependents() ? "wait" : "release", finalizer: ORPHAN };
  if (!metadata.finalizers?.includes(FOREGROUND)) return keep;
  if (!dependents.hasBlockingDependents()) return { type: "release", finalizer: FOREGROUND };
  if (!dependents.isInCircle()) return { type: "wait", finalizer: FOREGROUND };
  // All objects in the circle would wait forever: the owners of this one stop waiting for it.
  return { type: "rewrite", references: owners.map(({ reference }) => ({ ...reference, blockOwnerDeletion: false })) };
}

/** The creator of an object may have set the finalizer in advance. */
function requestedPropagation({ finalizers = [] }: ObjectMeta): "Background" | "Foreground" | "Orphan" {
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}
