import type { KindRef } from "../../../../cluster/kube/client.ts";
import type { ObjectMeta, OwnerReference } from "../../../../language/object/meta.ts";

/** The one owner that manages the object, if any. */
export function controllerOf(object: { metadata: ObjectMeta }): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true);
}

export function isControlledBy(object: { metadata: ObjectMeta }, owner: { metadata: ObjectMeta }): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The owner reference of objects that a controller creates. Takes the kind apart: items of a list have none. */
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
