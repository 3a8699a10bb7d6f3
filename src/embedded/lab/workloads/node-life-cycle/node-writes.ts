import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { forEachBounded } from "../../../../cluster/runtime/for-each-bounded.ts";
import type { PlannedEvent } from "../../../../language/object/plan.ts";
import { formatTime } from "../../../../language/object/time.ts";
import type { Node, Pod } from "../workload-objects.ts";
import type { NodeLifeCyclePlan } from "./decide-node-life-cycle.ts";
import { removePod } from "./remove-pod.ts";

interface NodeWrites {
  client: Client;
  recorder: { record(event: PlannedEvent): void };
  now: number;
  signal: AbortSignal;
}

const maxConcurrentWrites = 16;

/** Conflicts of the node are thrown: the plan was made from an older version. */
export async function carryOut(node: Node, plan: NodeLifeCyclePlan, writes: NodeWrites): Promise<void> {
  const { client, signal } = writes;
  const { name = "", uid, resourceVersion } = node.metadata;
  if (plan.unknown.length > 0) {
    const patch = { metadata: { uid }, status: { conditions: plan.unknown } };
    await client.patch(kinds.node, name, { type: "strategic", patch }, { subresource: "status", signal });
    const message = `Node ${name} status is now: NodeNotReady`;
    writes.recorder.record({ regarding: node, type: "Normal", reason: "NodeNotReady", message });
  }
  await each(plan.unready, (pod) => markUnready(pod, writes));
  if (plan.taints) {
    const patch = { metadata: { resourceVersion }, spec: { taints: plan.taints.length > 0 ? plan.taints : null } };
    await client.patch(kinds.node, name, { type: "merge", patch }, { signal });
  }
}

async function markUnready({ metadata }: Pod, { client, now, signal }: NodeWrites): Promise<void> {
  const { name = "", namespace, uid } = metadata;
  const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(now) };
  const patch = { metadata: { uid }, status: { conditions: [condition] } };
  await client.patch(kinds.pod, name, { type: "strategic", patch }, { namespace, subresource: "status", signal });
}

export function evict(pods: readonly Pod[], { client, recorder, now, signal }: NodeWrites): Promise<void> {
  return each(pods, async (pod) => {
    const { namespace, name } = pod.metadata;
    const message = `Marking for deletion Pod ${namespace}/${name}`;
    recorder.record({ regarding: pod, type: "Normal", reason: "TaintManagerEviction", message });
    const removal = { reason: "DeletionByTaintManager", message: "Taint manager: deleting due to NoExecute taint" };
    await removePod(client, pod, removal, { now, signal });
  });
}

/** Tries all of them, then throws the first error. Pods that are gone or replaced are skipped. */
async function each<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  await forEachBounded(items, maxConcurrentWrites, async (item) => {
    try {
      await act(item);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) errors.push(error);
    }
  });
  if (errors.length > 0) throw errors[0];
}
