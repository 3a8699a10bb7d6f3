import { apiVersionOf, type KubeObject } from "../../../language/object/meta.ts";
import { maxBodyBytes } from "../body/body.ts";
import type { Resource } from "../resource.ts";
import { tooLarge } from "../status-error.ts";
import { encodeObject } from "../storage/object-codec.ts";
import type { Draft } from "../storage/object-store.ts";
import type { Entry } from "../storage/store.ts";
import type { Answer } from "./context.ts";

/** The limit of a request body: otherwise repeated patches could grow an object without bound. */
const maxObjectBytes = maxBodyBytes;

/** The stored form of the object, in its storage version, once its revision is known. */
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

/** The response to a dry run: the object as it would be read back from the store. */
export function dryRunAnswer(object: KubeObject, stored: KubeObject, key: string, code: number): Answer {
  if (stored === object) return { type: "object", code, object };
  const entry: Entry = { key, revision: 0, bytes: encodeObject(stored), labels: stored.metadata.labels };
  return { type: "entry", code, entry };
}
