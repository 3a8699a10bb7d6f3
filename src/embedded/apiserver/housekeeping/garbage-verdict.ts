import type { ObjectMeta, OwnerReference } from "../../../language/object/meta.ts";

/** Finalizers by which a deletion says what is to become of dependents. */
export const FOREGROUND = "foregroundDeletion";
export const ORPHAN = "orphan";

/**
 * What an owner reference points at. `deleting` waits for its dependents to be deleted, `orphaning` for them to forget it.
 * Of a kind that is not served nothing is known; one in a namespace cannot own what is in none.
 */
export type OwnerState = "present" | "deleting" | "orphaning" | "gone" | "unknown" | "misplaced";

export interface Suspect {
  readonly metadata: ObjectMeta;
  readonly owners: readonly { readonly reference: OwnerReference; readonly state: OwnerState }[];
  /** Being deleted, and nothing holds it: someone has not finished what they began. */
  readonly released: boolean;
  /** What depends on it in turn. Asked only where it matters: there may be thousands. */
  readonly hasDependents: () => boolean;
  readonly hasBlockingDependents: () => boolean;
  /** One of its owners waits for it, or for something that waits for it, while being what it waits for. */
  readonly isInCircle: () => boolean;
}

export type Verdict =
  | { readonly type: "keep" }
  | { readonly type: "wait" | "release"; readonly finalizer: string }
  | { readonly type: "rewrite"; readonly references: readonly OwnerReference[] }
  | { readonly type: "delete"; readonly propagation: "Background" | "Foreground" | "Orphan" };

const keep: Verdict = { type: "keep" };

/** What becomes of an object, by the rules of the garbage collector of kube-controller-manager. */
export function judge(suspect: Suspect): Verdict {
  const { metadata, owners } = suspect;
  const without = (...states: OwnerState[]): Verdict => ({
    type: "rewrite",
    references: owners.filter(({ state }) => !states.includes(state)).map(({ reference }) => reference),
  });
  const some = (state: OwnerState): boolean => owners.some((owner) => owner.state === state);

  if (some("orphaning")) return without("orphaning");
  if (metadata.deletionTimestamp) return beingDeleted(suspect);
  if (owners.length === 0 || some("unknown") || some("misplaced")) return keep;
  if (some("present")) return some("gone") || some("deleting") ? without("gone", "deleting") : keep;
  // Its owner waits for it, so it has to wait for its own dependents.
  if (some("deleting") && suspect.hasDependents()) return { type: "delete", propagation: "Foreground" };
  return { type: "delete", propagation: askedFor(metadata) };
}

function beingDeleted({ metadata, released, owners, ...dependents }: Suspect): Verdict {
  if (released) return { type: "delete", propagation: "Background" };
  if (metadata.finalizers?.includes(ORPHAN))
    return { type: dependents.hasDependents() ? "wait" : "release", finalizer: ORPHAN };
  if (!metadata.finalizers?.includes(FOREGROUND)) return keep;
  if (!dependents.hasBlockingDependents()) return { type: "release", finalizer: FOREGROUND };
  if (!dependents.isInCircle()) return { type: "wait", finalizer: FOREGROUND };
  // All in the circle would wait forever: its owners need not wait for this one.
  return { type: "rewrite", references: owners.map(({ reference }) => ({ ...reference, blockOwnerDeletion: false })) };
}

/** The maker of an object may have said beforehand what is to become of its dependents. */
function askedFor({ finalizers = [] }: ObjectMeta): "Background" | "Foreground" | "Orphan" {
  if (finalizers.includes(ORPHAN)) return "Orphan";
  return finalizers.includes(FOREGROUND) ? "Foreground" : "Background";
}
