import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { isFinished } from "../pods/pod-state.ts";
import type { Pod } from "../workload-objects.ts";

export interface Removal {
  reason: string;
  message: string;
  /** No kubelet is left to end it: it becomes Failed and is deleted without a grace period. */
  byForce?: boolean | undefined;
}

/** Writes the reason as a DisruptionTarget condition, then deletes the pod. A pod that is gone counts as deleted. */
export async function removePod(
  client: Client,
  pod: Pod,
  { reason, message, byForce }: Removal,
  { now, signal }: { now: number; signal: AbortSignal },
): Promise<void> {
  const { name = "", namespace, uid } = pod.metadata;
  const condition = { type: "DisruptionTarget", status: "True", reason, message, lastTransitionTime: formatTime(now) };
  try {
    // A finished pod is not disrupted.
    if (!isFinished(pod)) {
      const status = { conditions: [condition], ...(byForce && { phase: "Failed" }) };
      const patch = { type: "strategic", patch: { metadata: { uid }, status } } as const;
      await client.patch(kinds.pod, name, patch, { namespace, subresource: "status", signal });
    }
    const gracePeriodSeconds = byForce ? 0 : undefined;
    await client.delete(kinds.pod, name, { namespace, preconditions: { uid }, gracePeriodSeconds, signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
