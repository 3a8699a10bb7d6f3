import { isAlreadyExists, isApiError, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { ConfigMap } from "./release.ts";

const fieldManager = "attune-scylla";

/** Lets any container of a pod start. */
export async function writeRelease(client: Client, release: ConfigMap, signal: AbortSignal): Promise<void> {
  const { namespace, name = "" } = release.metadata;
  const at = { namespace, fieldManager, signal };
  try {
    await client.create(kinds.configMap, release, { ...at, ignoreResponse: true });
  } catch (error) {
    if (isGoing(error)) return;
    if (!isAlreadyExists(error)) throw error;
    // An agent may have written it for one container, before it was switched off: now it is for any.
    const data = { containerID: null, irqCpus: null, ...release.data };
    await client.patch(kinds.configMap, name, { type: "merge", patch: { data } }, at);
  }
}

/** The namespace is gone, or is being deleted: so is the database. */
function isGoing(error: unknown): boolean {
  if (isNotFound(error)) return true;
  return isApiError(error) && (error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false);
}
