import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { Pod } from "../workload-objects.ts";
import { trackingFinalizer } from "./job-fields.ts";

/** Takes the Job's finalizer off: the pod has been counted, or never will be. False when the pod is gone. */
export async function releasePod(client: Client, { metadata }: Pod, signal?: AbortSignal): Promise<boolean> {
  const { name = "", namespace, uid } = metadata;
  const patch = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } };
  try {
    await client.patch(kinds.pod, name, { type: "strategic", patch }, { namespace, signal });
    return true;
  } catch (error) {
    // Gone, or another pod under its name.
    if (isNotFound(error) || isConflict(error)) return false;
    throw error;
  }
}
