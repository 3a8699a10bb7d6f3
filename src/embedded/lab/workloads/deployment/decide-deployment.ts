import type { PlannedEvent } from "../../../../language/object/plan.ts";
import { replicasOf } from "../pods/replicas.ts";
import type { Deployment, Pod, ReplicaSet } from "../workload-objects.ts";
import { byAge } from "../object-fields.ts";
import { isRolling } from "./bounds.ts";
import { type DeploymentStatus, deploymentStatus, isComplete, untilOverdue } from "./deployment-status.ts";
import { revisionAnnotation, revisionOf } from "./revision.ts";
import { recreate, rollForward } from "./rollout.ts";
import { RolloutDraft } from "./rollout-draft.ts";
import { scaleInProportion, wasResized } from "./scale-in-proportion.ts";

export interface DeploymentInput {
  deployment: Deployment;
  /** Owned by the Deployment. */
  replicaSets: readonly ReplicaSet[];
  /** Pods of a ReplicaSet, by its uid. */
  podsOf: (uid: string) => readonly Pod[];
  now: number;
}

/** To be carried out in this order. After a failure, the next pass does the rest. */
export interface DeploymentPlan {
  create?: ReplicaSet | undefined;
  updates: ReplicaSet[];
  deletes: ReplicaSet[];
  status: DeploymentStatus;
  /** The Deployment's revision annotation, if it changes. */
  revision?: string | undefined;
  events: PlannedEvent[];
  requeueAfterMs?: number | undefined;
}

export function decideDeployment({ deployment, replicaSets, podsOf, now }: DeploymentInput): DeploymentPlan {
  const draft = new RolloutDraft(deployment, replicaSets, now);
  const isDeleted = deployment.metadata.deletionTimestamp !== undefined;
  const paused = deployment.spec?.paused === true;
  if (!isDeleted) reportPaused(draft, paused);
  draft.revise();
  const rollsOut = !isDeleted && !paused && !wasResized(draft);
  if (rollsOut) {
    if (isRolling(deployment)) rollForward(draft);
    else recreate(draft, podsOf);
  } else if (!isDeleted) scaleInProportion(draft);
  if (!isDeleted && (paused || (rollsOut && isComplete(deployment, deployment.status ?? {})))) deleteOldest(draft);
  return planOf(draft, deploymentStatus(draft, { progress: rollsOut }));
}

/** A paused rollout must not time out, nor right after it is resumed. */
function reportPaused(draft: RolloutDraft, paused: boolean): void {
  draft.report((existing) => {
    if (existing?.reason === "ProgressDeadlineExceeded") return undefined;
    if (paused && existing?.reason !== "DeploymentPaused")
      return ["Unknown", "DeploymentPaused", "Deployment is paused"];
    if (!paused && existing?.reason === "DeploymentPaused")
      return ["Unknown", "DeploymentResumed", "Deployment is resumed"];
    return undefined;
  });
}

/** Old ReplicaSets over the history limit, as far as they have no pods. */
function deleteOldest({ deployment, old, deletes }: RolloutDraft): void {
  const limit = deployment.spec?.revisionHistoryLimit ?? Infinity;
  const kept = old.map(({ planned }) => planned).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const byRevision = kept.toSorted((a, b) => (revisionOf(a) ?? 0) - (revisionOf(b) ?? 0) || byAge(a, b));
  for (const replicaSet of byRevision.slice(0, Math.max(0, kept.length - limit)))
    if (isEmpty(replicaSet)) deletes.push(replicaSet);
}

function isEmpty(replicaSet: ReplicaSet): boolean {
  const { status, metadata } = replicaSet;
  return (
    replicasOf(replicaSet) === 0 &&
    (status?.replicas ?? 0) === 0 &&
    (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0)
  );
}

function planOf(draft: RolloutDraft, status: DeploymentStatus): DeploymentPlan {
  const { deployment, fresh, all, deletes, events, now } = draft;
  const revision = fresh?.planned.metadata.annotations?.[revisionAnnotation];
  return {
    create: fresh?.cached ? undefined : fresh?.planned,
    updates: all.filter(({ cached, planned }) => cached && cached !== planned).map(({ planned }) => planned),
    deletes,
    status,
    revision: deployment.metadata.annotations?.[revisionAnnotation] === revision ? undefined : revision,
    events,
    requeueAfterMs: untilOverdue(deployment, status, now),
  };
}
