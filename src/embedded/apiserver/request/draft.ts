import { apiVersionOf, type KubeObject } from "../../../language/object/meta.ts";
import { maxBodyBytes } from "../body/body.ts";
import type { Resource } from "../resource.ts";
import { tooLarge } from "../status-error.ts";
import { encodeObject } from "../storage/object-codec.ts";
import type { Draft } from "../storage/object-store.ts";
import type { Entry } from "../storage/store.ts";
import type { Answer } from "./context.ts";

/** As much as a request may bring. Patch upon patch could otherwise make an object grow without end. */
const maxObjectBytes = maxBodyBytes;

/** The object as it goes into the store, in its storage version, once its revision is known. */
export function draftOf(object: KubeObject, resource: Resource): (revision: number) => Draft {
  return (revision) => {
    object.metadata.resourceVersion = String(revision);
    const bytes = encodeObject(
      resource.storedAs?.toStored(object) ?? {
        ...object,
        apiVersion: apiVersionOf(resource.group, resource.storageVersion),
      },
    );
    if (bytes.length > maxObjectBytes) throw tooLarge(maxObjectBytes);
    return { bytes, labels: object.metadata.labels };
  };
}

/** What a dry run answers: the object, as it would come out of the store again. */
export function trial(object: KubeObject, stored: KubeObject, key: string, code: number): Answer {
  if (stored === object) return { type: "object", code, object };
  const entry: Entry = { key, revision: 0, bytes: encodeObject(stored), labels: stored.metadata.labels };
  return { type: "entry", code, entry };
}
