import { isConflict, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";

export type StatusWrite = "unchanged" | "written" | "outdated" | "gone";

/**
 * Replaces a status, if it differs. `outdated` when the object has changed since the cache saw it: its event is on the
 * way, and what was counted may be wrong by now.
 */
export async function writeStatus<T extends KubeObject>(
  client: Client,
  kind: KindRef<T>,
  object: T,
  status: object,
  { annotations, signal }: { annotations?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<StatusWrite> {
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
