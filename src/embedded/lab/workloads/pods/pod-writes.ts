import { isApiError, isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { PlannedEvent } from "../../../../language/object/plan.ts";
import type { Pod } from "../workload-objects.ts";

export interface PodWrites {
  client: Client;
  recorder: { record(event: PlannedEvent): void };
  signal?: AbortSignal | undefined;
}

/** Creates a pod and records an event of its owner. Undefined if the namespace is terminating. */
export async function createPod(pod: Pod, owner: KubeObject, writes: PodWrites): Promise<Pod | undefined> {
  const { client, recorder, signal } = writes;
  try {
    const created = await client.create(kinds.pod, pod, { namespace: pod.metadata.namespace, signal });
    const message = `Created pod: ${created.metadata.name}`;
    recorder.record({ regarding: owner, type: "Normal", reason: "SuccessfulCreate", message });
    return created;
  } catch (error) {
    if (isNamespaceGoing(error)) return undefined;
    const message = `Error creating: ${textOf(error)}`;
    recorder.record({ regarding: owner, type: "Warning", reason: "FailedCreate", message });
    throw error;
  }
}

/** Deletes the pod with this uid. False when it is gone already. */
export async function deletePod(pod: Pod, owner: KubeObject, writes: PodWrites): Promise<boolean> {
  const { client, recorder, signal } = writes;
  const { name = "", namespace, uid } = pod.metadata;
  try {
    await client.delete(kinds.pod, name, { namespace, preconditions: { uid }, signal });
    recorder.record({ regarding: owner, type: "Normal", reason: "SuccessfulDelete", message: `Deleted pod: ${name}` });
    return true;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false;
    const message = `Error deleting: ${textOf(error)}`;
    recorder.record({ regarding: owner, type: "Warning", reason: "FailedDelete", message });
    throw error;
  }
}

export function isNamespaceGoing(error: unknown): boolean {
  return isApiError(error) && (error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false);
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
