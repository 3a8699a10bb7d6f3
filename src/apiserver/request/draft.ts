import { apiVersionOf, type KubeObject } from "../../object/meta.ts";
import type { Resource } from "../resource.ts";
import { encodeObject } from "../storage/object-codec.ts";
import type { Draft } from "../storage/object-store.ts";

/** The object as it goes into the store, in its storage version, once its revision is known. */
export function draftOf(object: KubeObject, resource: Resource): (revision: number) => Draft {
  return (revision) => {
    object.metadata.resourceVersion = String(revision);
    const apiVersion = apiVersionOf(resource.group, resource.storageVersion);
    return { bytes: encodeObject({ ...object, apiVersion }), labels: object.metadata.labels };
  };
}
