import { isConflict, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

export type StatusWrite = "unchanged" | "written" | "outdated" | "gone";

export interface StatusInput<T extends KubeObject> {
  client: Client;
  kind: KindRef<T>;
  /** As the cache has it. */
  object: T;
  status: object;
  /** Replace the annotations in the same request. */
  annotations?: Record<string, string> | undefined;
  signal: AbortSignal;
}

/**
 * Replaces a status, if it differs. `outdated` when the object is newer than the cache: its event will follow, and the
 * status may be wrong by then.
 */
export async function writeStatus<T extends KubeObject>({
  client,
  kind,
  object,
  status,
  annotations,
  signal,
}: StatusInput<T>): Promise<StatusWrite> {
  if (!annotations && equal(object["status"] ?? {}, status)) return "unchanged";
  const metadata = annotations ? { ...object.metadata, annotations } : object.metadata;
  try {
    await client.update<KubeObject>(
      kind,
      { ...object, metadata, status },
      { namespace: metadata.namespace, subresource: "status", signal },
    );
    return "written";
  } catch (error) {
    if (isNotFound(error)) return "gone";
    if (isConflict(error)) return "outdated";
    throw error;
  }
}
