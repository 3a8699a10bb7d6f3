import type { KindRef } from "../../../../cluster/kube/client.ts";
import type { ObjectMeta, OwnerReference } from "../../../../language/object/meta.ts";

/** The one owner that manages the object, if any. */
export function controllerOf(object: { metadata: ObjectMeta }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isControlledBy(object: { metadata: ObjectMeta }, owner: { metadata: ObjectMeta }): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** What a controller puts on the objects it makes. Items of a list do not say their kind. */
export function controllerReference(
  { apiVersion, kind }: KindRef,
  { metadata }: { metadata: ObjectMeta },
): OwnerReference {
  return {
    apiVersion,
    kind,
    name: metadata.name ?? "",
    uid: metadata.uid ?? "",
    controller: true,
    blockOwnerDeletion: true,
  };
}
