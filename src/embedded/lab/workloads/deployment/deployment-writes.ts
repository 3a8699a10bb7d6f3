import { isAlreadyExists, isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { Result } from "../../../../cluster/runtime/controller/controller.ts";
import type { PlannedEvent } from "../../../../language/object/plan.ts";
import { isControlledBy } from "../pods/controller-of.ts";
import { isNamespaceGoing, textOf } from "../pods/pod-writes.ts";
import type { Deployment, ReplicaSet } from "../workload-objects.ts";
import { type StatusWrite, writeStatus } from "../write-status.ts";
import type { DeploymentPlan } from "./decide-deployment.ts";
import { withCondition } from "./deployment-condition.ts";
import { sameTemplate } from "./new-replica-set.ts";
import { revisionAnnotation } from "./revision.ts";
import { hasDeadline } from "./rollout-draft.ts";

interface DeploymentWrites {
  client: Client;
  recorder: { record(event: PlannedEvent): void };
  now: number;
  signal: AbortSignal;
}

/** Carries a plan out in its order. Stops at an object that the cache does not show yet; the next pass continues. */
export async function carryOut(
  deployment: Deployment,
  plan: DeploymentPlan,
  writes: DeploymentWrites,
): Promise<Result> {
  const { client, recorder, signal } = writes;
  const { namespace } = deployment.metadata;
  if (plan.create && (await create(deployment, plan.create, writes)) === "exists") return { requeue: true };
  try {
    for (const replicaSet of plan.updates) await client.update(kinds.replicaSet, replicaSet, { namespace, signal });
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return { requeue: true };
    throw error;
  }
  for (const event of plan.events) recorder.record(event);
  for (const { metadata } of plan.deletes) {
    const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
    try {
      await client.delete(kinds.replicaSet, metadata.name ?? "", { namespace, preconditions, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
  const annotations =
    plan.revision === undefined
      ? undefined
      : { ...deployment.metadata.annotations, [revisionAnnotation]: plan.revision };
  const written = await update(deployment, plan.status, { ...writes, annotations });
  return written === "outdated" ? { requeue: true } : { requeueAfterMs: plan.requeueAfterMs };
}

/** Names follow from templates: under the name is the same ReplicaSet, or one of another template with the same hash. */
async function create(
  deployment: Deployment,
  replicaSet: ReplicaSet,
  writes: DeploymentWrites,
): Promise<"created" | "exists"> {
  const { client, signal } = writes;
  const { namespace, name = "" } = replicaSet.metadata;
  try {
    await client.create(kinds.replicaSet, replicaSet, { namespace, signal });
    return "created";
  } catch (error) {
    if (isNamespaceGoing(error)) return "exists";
    if (!isAlreadyExists(error)) {
      await reportFailure(deployment, `Failed to create new replica set "${name}": ${textOf(error)}`, writes);
      throw error;
    }
    const found = await client.get(kinds.replicaSet, name, { namespace, signal });
    if (isControlledBy(found, deployment) && sameTemplate(found.spec?.template, replicaSet.spec?.template))
      return "exists";
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await update(deployment, { ...deployment.status, collisionCount }, writes);
    return "exists";
  }
}

async function reportFailure(deployment: Deployment, message: string, writes: DeploymentWrites): Promise<void> {
  const reason = "ReplicaSetCreateError";
  writes.recorder.record({ regarding: deployment, type: "Warning", reason, message });
  if (!hasDeadline(deployment)) return;
  const condition = { type: "Progressing", status: "False", reason, message };
  const conditions = withCondition(deployment.status?.conditions ?? [], condition, writes.now);
  await update(deployment, { ...deployment.status, conditions }, writes);
}

function update(
  deployment: Deployment,
  status: object,
  { client, signal, annotations }: DeploymentWrites & { annotations?: Record<string, string> | undefined },
): Promise<StatusWrite> {
  return writeStatus({ client, kind: kinds.deployment, object: deployment, status, annotations, signal });
}
