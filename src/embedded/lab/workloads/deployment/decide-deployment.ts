import type { PlannedEvent } from "../../../../language/object/plan.ts";
import { replicasOf } from "../pods/replicas.ts";
import type { Deployment, Pod, ReplicaSet } from "../workload-objects.ts";
import { isRolling } from "./bounds.ts";
import { type DeploymentStatus, deploymentStatus, isComplete, untilOverdue } from "./deployment-status.ts";
import { revisionAnnotation, revisionOf } from "./revision.ts";
import { recreate, rollForward } from "./rollout.ts";
import { byAge, RolloutDraft } from "./rollout-draft.ts";
import { scaleInProportion, wasResized } from "./scale-in-proportion.ts";

export interface DeploymentInput {
  deployment: Deployment;
  /** Those it owns. */
  replicaSets: readonly ReplicaSet[];
  /** Pods of a ReplicaSet, by its uid. */
  podsOf: (uid: string) => readonly Pod[];
  now: number;
}

/** To be carried out in this order; what follows a failure is left for the next pass. */
export interface DeploymentPlan {
  create?: ReplicaSet | undefined;
  updates: ReplicaSet[];
  deletes: ReplicaSet[];
  status: DeploymentStatus;
  /** The revision to note on the Deployment, if it is not there. */
  revision?: string | undefined;
  events: PlannedEvent[];
  requeueAfterMs?: number | undefined;
}

export function decideDeployment({ deployment, replicaSets, podsOf, now }: DeploymentInput): DeploymentPlan {
  const draft = new RolloutDraft(deployment, replicaSets, now);
  const going = deployment.metadata.deletionTimestamp !== undefined;
  const paused = deployment.spec?.paused === true;
  if (!going) tellPaused(draft, paused);
  draft.revise();
  const rollsOut = !going && !paused && !wasResized(draft);
  if (rollsOut) {
    if (isRolling(deployment)) rollForward(draft);
    else recreate(draft, podsOf);
  } else if (!going) scaleInProportion(draft);
  if (!going && (paused || (rollsOut && isComplete(deployment, deployment.status ?? {})))) forgetOldest(draft);
  return planOf(draft, deploymentStatus(draft, { progress: rollsOut }));
}

/** A rollout that a user has stopped must not time out, nor right after it goes on. */
function tellPaused(draft: RolloutDraft, paused: boolean): void {
  draft.tell((told) => {
    if (told?.reason === "ProgressDeadlineExceeded") return undefined;
    if (paused && told?.reason !== "DeploymentPaused") return ["Unknown", "DeploymentPaused", "Deployment is paused"];
    if (!paused && told?.reason === "DeploymentPaused")
      return ["Unknown", "DeploymentResumed", "Deployment is resumed"];
    return undefined;
  });
}

/** Old ReplicaSets beyond the limit of the history, those without pods only. */
function forgetOldest({ deployment, old, doomed }: RolloutDraft): void {
  const limit = deployment.spec?.revisionHistoryLimit ?? Infinity;
  const kept = old.map(({ planned }) => planned).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const byRevision = kept.toSorted((a, b) => (revisionOf(a) ?? 0) - (revisionOf(b) ?? 0) || byAge(a, b));
  for (const replicaSet of byRevision.slice(0, Math.max(0, kept.length - limit)))
    if (isEmpty(replicaSet)) doomed.push(replicaSet);
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
  const { deployment, fresh, all, doomed, events, now } = draft;
  const revision = fresh?.planned.metadata.annotations?.[revisionAnnotation];
  return {
    create: fresh?.cached ? undefined : fresh?.planned,
    updates: all.filter(({ cached, planned }) => cached && cached !== planned).map(({ planned }) => planned),
    deletes: doomed,
    status,
    revision: deployment.metadata.annotations?.[revisionAnnotation] === revision ? undefined : revision,
    events,
    requeueAfterMs: untilOverdue(deployment, status, now),
  };
}
