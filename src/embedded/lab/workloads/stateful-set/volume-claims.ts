import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { KindRef } from "../../../../cluster/kube/client.ts";
import { equal, omitUndefined } from "../../../../language/object/json.ts";
import type { KubeObject, OwnerReference } from "../../../../language/object/meta.ts";
import { controllerReference } from "../pods/controller-of.ts";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../workload-objects.ts";
import { claimName, isInRange } from "./stateful-pod.ts";

/** The claims of the pod with this ordinal, as they are created. */
export function claimsOf(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  return (set.spec?.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: omitUndefined({
      name: claimName(set, metadata?.name ?? "", ordinal),
      namespace: set.metadata.namespace,
      labels: { ...metadata?.labels, ...set.spec?.selector.matchLabels },
      annotations: metadata?.annotations && { ...metadata.annotations },
      finalizers: metadata?.finalizers && [...metadata.finalizers],
    }),
    ...(spec && { spec }),
  }));
}

/**
 * The claim with the owner that the set's retention policy wants: the set, so that it is deleted with the set, or the pod
 * that scaling down deletes. Undefined when the owners are right, or belong to another controller.
 */
export function ownedByPolicy(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
  ordinal: number,
): PersistentVolumeClaim | undefined {
  const before = claim.metadata.ownerReferences ?? [];
  // Owned by an earlier set or pod of the same name: the garbage collector deletes the claim.
  if (isOutlived(before, kinds.statefulSet, set) || isOutlived(before, kinds.pod, pod)) return undefined;
  const { whenScaled, whenDeleted } = set.spec?.persistentVolumeClaimRetentionPolicy ?? {};
  const others = before.filter(({ uid }) => uid !== set.metadata.uid && uid !== pod.metadata.uid);
  const wanted = [...others];
  const isKept = whenScaled !== "Delete" && whenDeleted !== "Delete";
  // An object can have one controller only.
  const isTaken = !isKept && others.some(({ controller }) => controller === true);
  if (!isTaken) {
    const isCondemned = !isInRange(ordinal, set);
    if (whenScaled === "Delete" && isCondemned) wanted.push(controllerReference(kinds.pod, pod));
    else if (whenDeleted === "Delete") wanted.push(controllerReference(kinds.statefulSet, set));
  }
  if (equal(sorted(wanted), sorted(before))) return undefined;
  return { ...claim, metadata: { ...claim.metadata, ownerReferences: wanted } };
}

/** Whether a claim belongs to a deleted pod of the same name: the new pod must wait until the claim is deleted. */
export function isOutlivedClaim({ metadata }: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  return (
    set.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled === "Delete" &&
    isOutlived(metadata.ownerReferences ?? [], kinds.pod, pod)
  );
}

function isOutlived(references: readonly OwnerReference[], ofKind: KindRef, { metadata }: KubeObject): boolean {
  return references.some(
    ({ apiVersion, kind, name, uid }) =>
      apiVersion === ofKind.apiVersion && kind === ofKind.kind && name === metadata.name && uid !== metadata.uid,
  );
}

function sorted(references: readonly OwnerReference[]): OwnerReference[] {
  return references.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
}
