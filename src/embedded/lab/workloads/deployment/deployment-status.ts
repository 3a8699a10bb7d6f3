import type { DeploymentCondition, DeploymentStatus as PublishedStatus } from "kubernetes-types/apps/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import { findCondition } from "../../../../language/object/condition.ts";
import { parseTime } from "../../../../language/object/time.ts";
import { replicasOf } from "../pods/replicas.ts";
import type { ReplicaSetStatus } from "../replica-set/replica-set-status.ts";
import type { Deployment, ReplicaSet } from "../workload-objects.ts";
import { withCondition, without, withProgress } from "./deployment-condition.ts";
import { hasDeadline, type Member, type RolloutDraft } from "./rollout-draft.ts";

/** With the field that `kubernetes-types` does not have yet. */
export type DeploymentStatus = PublishedStatus & { terminatingReplicas?: number };

/** The sums over the ReplicaSets. With `progress`, also the conditions of the rollout. */
export function deploymentStatus(draft: RolloutDraft, { progress }: { progress: boolean }): DeploymentStatus {
  const { deployment, fresh, now, bounds } = draft;
  const members = draft.all;
  const available = sum(members, ({ availableReplicas }) => availableReplicas);
  const wanted = members.reduce((total, { planned }) => total + replicasOf(planned), 0);
  const counted: DeploymentStatus = omitUndefined({
    observedGeneration: deployment.metadata.generation,
    replicas: sum(members, ({ replicas }) => replicas) || undefined,
    updatedReplicas: (fresh && sum([fresh], ({ replicas }) => replicas)) || undefined,
    readyReplicas: sum(members, ({ readyReplicas }) => readyReplicas) || undefined,
    availableReplicas: available || undefined,
    unavailableReplicas: Math.max(0, wanted - available) || undefined,
    terminatingReplicas: terminating(members),
    collisionCount: deployment.status?.collisionCount,
  });
  const enough = available >= bounds.replicas - bounds.unavailable;
  let conditions = withCondition(
    draft.conditions,
    {
      type: "Available",
      status: enough ? "True" : "False",
      reason: enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
      message: enough ? "Deployment has minimum availability." : "Deployment does not have minimum availability.",
    },
    now,
  );
  if (progress) conditions = withFailure(withRollout(conditions, counted, draft), draft);
  return { ...counted, conditions: [...conditions] };
}

function withRollout(
  conditions: readonly DeploymentCondition[],
  counted: DeploymentStatus,
  { deployment, fresh, now }: RolloutDraft,
): readonly DeploymentCondition[] {
  const type = "Progressing";
  if (!hasDeadline(deployment)) return without(conditions, type);
  const existing = findCondition(conditions, type);
  // No rollout: only single pods are replaced, without a progress deadline.
  if (counted.replicas === counted.updatedReplicas && existing?.reason === "NewReplicaSetAvailable") return conditions;
  const subject = fresh ? `ReplicaSet "${fresh.planned.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, counted)) {
    const message = `${subject} has successfully progressed.`;
    return withCondition(conditions, { type, status: "True", reason: "NewReplicaSetAvailable", message }, now);
  }
  if (hasProgressed(deployment.status ?? {}, counted)) {
    const message = `${subject} is progressing.`;
    return withProgress(conditions, { type, status: "True", reason: "ReplicaSetUpdated", message }, now);
  }
  if (isOverdue(deployment, existing, now)) {
    const message = `${subject} has timed out progressing.`;
    return withCondition(conditions, { type, status: "False", reason: "ProgressDeadlineExceeded", message }, now);
  }
  return conditions;
}

/** All pods are new and available, and no old one is left. */
export function isComplete({ metadata, ...deployment }: Deployment, status: DeploymentStatus): boolean {
  const replicas = replicasOf(deployment);
  return (
    (status.updatedReplicas ?? 0) === replicas &&
    (status.replicas ?? 0) === replicas &&
    (status.availableReplicas ?? 0) === replicas &&
    (status.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

function hasProgressed(before: DeploymentStatus, after: DeploymentStatus): boolean {
  const outdated = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number => replicas - updatedReplicas;
  return (
    (after.updatedReplicas ?? 0) > (before.updatedReplicas ?? 0) ||
    outdated(after) < outdated(before) ||
    (after.readyReplicas ?? 0) > (before.readyReplicas ?? 0) ||
    (after.availableReplicas ?? 0) > (before.availableReplicas ?? 0)
  );
}

function isOverdue(deployment: Deployment, existing: DeploymentCondition | undefined, now: number): boolean {
  if (!existing || existing.reason === "NewReplicaSetAvailable") return false;
  return existing.reason === "ProgressDeadlineExceeded" || deadline(deployment, existing) < now;
}

function deadline({ spec }: Deployment, { lastUpdateTime }: DeploymentCondition): number {
  return (parseTime(lastUpdateTime ?? "") ?? 0) + (spec?.progressDeadlineSeconds ?? 0) * 1000;
}

/** Milliseconds until the progress deadline; undefined if it cannot be exceeded. */
export function untilOverdue(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const existing = findCondition(status.conditions, "Progressing");
  if (!hasDeadline(deployment) || !existing || isComplete(deployment, status)) return undefined;
  if (existing.reason === "ProgressDeadlineExceeded" || existing.reason === "NewReplicaSetAvailable") return undefined;
  // Conditions have times in whole seconds.
  return Math.max(0, deadline(deployment, existing) - now) + 1000;
}

/** A failure of the new ReplicaSet, or else of any. */
function withFailure(
  conditions: readonly DeploymentCondition[],
  { fresh, all }: RolloutDraft,
): readonly DeploymentCondition[] {
  const type = "ReplicaFailure";
  for (const { planned } of fresh ? [fresh, ...all] : all) {
    const failed = findCondition(planned.status?.conditions, type);
    if (!failed) continue;
    const existing = findCondition(conditions, type);
    if (existing?.status === failed.status && existing.reason === failed.reason) return conditions;
    return [...without(conditions, type), omitUndefined({ ...failed, lastUpdateTime: failed.lastTransitionTime })];
  }
  return without(conditions, type);
}

/** Undefined while the status of a ReplicaSet does not have the count. */
function terminating(members: readonly Member[]): number | undefined {
  let total = 0;
  for (const { planned } of members) {
    const { terminatingReplicas, observedGeneration = 0 }: Partial<ReplicaSetStatus> = planned.status ?? {};
    if (terminatingReplicas !== undefined) total += terminatingReplicas;
    else if (observedGeneration > 0) return undefined;
  }
  return total;
}

function sum(
  members: readonly Member[],
  count: (status: NonNullable<ReplicaSet["status"]>) => number | undefined,
): number {
  return members.reduce((total, { planned }) => total + ((planned.status && count(planned.status)) ?? 0), 0);
}
