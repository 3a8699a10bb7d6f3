import type { StatefulSetStatus } from "kubernetes-types/apps/v1.js";
import { isAlreadyExists, isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Result } from "../../../../cluster/runtime/controller/controller.ts";
import { isAvailable, isFinished, isReady, isTerminating, untilAvailable } from "../pods/pod-state.ts";
import { isNamespaceGoing } from "../pods/pod-writes.ts";
import { templateIn } from "../revisions/controller-revision.ts";
import { outdatedRevisions } from "../revisions/decide-revision.ts";
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "../workload-objects.ts";
import { identified, isInRange, ordinalOf, ordinalsOf, podRevision, statefulPod } from "./stateful-pod.ts";
import type { StatusWrite } from "../write-status.ts";
import { statefulSetStatus } from "./stateful-set-status.ts";
import { claimsOf, isOutlivedClaim, ownedByPolicy } from "./volume-claims.ts";

export interface StatefulSetInput {
  set: StatefulSet;
  pods: readonly Pod[];
  /** All revisions of the set. */
  revisions: readonly ControllerRevision[];
  /** The revision of the template. */
  update: ControllerRevision;
  collisions: number;
  /** By namespace and name. */
  claim: (key: string) => PersistentVolumeClaim | undefined;
  now: number;
}

interface Pass extends StatefulSetInput {
  /** The revision of pods below the partition. */
  current: ControllerRevision;
}

export type Action =
  | { type: "create claim"; claim: PersistentVolumeClaim }
  /** The claim gets other owners. */
  | { type: "update claim"; claim: PersistentVolumeClaim }
  | { type: "create pod"; pod: Pod }
  | { type: "update pod"; pod: Pod }
  | { type: "delete pod"; pod: Pod }
  /** Fails, so that the pass ends here. */
  | { type: "wait"; because: string };

/** The actions for one pod, in order. */
export interface Step {
  pod: Pod;
  actions: Action[];
}

export interface StatefulSetPlan {
  steps: Step[];
  status: StatefulSetStatus;
  /** Revisions over the history limit, to be deleted. */
  outdated: ControllerRevision[];
  requeueAfterMs?: number | undefined;
}

export function decideStatefulSet(input: StatefulSetInput): StatefulSetPlan {
  const { set, pods, revisions, update, collisions, now } = input;
  const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
  const pass = { ...input, current };
  const steps = set.metadata.deletionTimestamp === undefined ? decideSteps(pass) : [];
  const replaced = steps.filter((step) => isReplaced(step, pass)).length;
  const status = statefulSetStatus({
    set,
    pods,
    current: current.metadata.name ?? "",
    update: update.metadata.name ?? "",
    collisions,
    replaced,
    now,
  });
  const inUse = new Set([current.metadata.name, update.metadata.name, ...pods.map(podRevision)]);
  const limit = set.spec?.revisionHistoryLimit ?? 10;
  const outdated = outdatedRevisions(revisions, ({ metadata }) => inUse.has(metadata.name), limit);
  return { steps, status, outdated, requeueAfterMs: untilAvailable(pods, set.spec?.minReadySeconds ?? 0, now) };
}

export type StatefulSetResult = ({ type: "done" } & Result) | { type: "failed"; error: unknown };

/** What follows from the outcome of a plan. */
export function decideResult(
  { requeueAfterMs }: StatefulSetPlan,
  { error, written }: { error: unknown; written: StatusWrite },
): StatefulSetResult {
  // The cache was outdated; it will show the object that another write created, changed or deleted.
  if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return { type: "done", requeue: true };
  if (error !== undefined && !isNamespaceGoing(error)) return { type: "failed", error };
  return written === "outdated" ? { type: "done", requeue: true } : { type: "done", requeueAfterMs };
}

function isReplaced({ pod, actions }: Step, { set, current, update }: Pass): boolean {
  const revision = podRevision(pod);
  return (
    revision === current.metadata.name &&
    revision !== update.metadata.name &&
    isInRange(ordinalOf(pod, set) ?? -1, set) &&
    actions.some(({ type }) => type === "delete pod")
  );
}

interface Verdict {
  actions: Action[];
  /** Whether ordered sets continue with the next pod only after this one is done. */
  blocks: boolean;
}

function decideSteps(input: Pass): Step[] {
  const { set, pods } = input;
  const ordered = set.spec?.podManagementPolicy !== "Parallel";
  const { start, end } = ordinalsOf(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod, set) ?? -1, pod]));
  const replicas = Array.from({ length: end - start }, (_, index) => {
    const ordinal = start + index;
    return { ordinal, pod: byOrdinal.get(ordinal) ?? newPod(input, ordinal), exists: byOrdinal.has(ordinal) };
  });
  const condemned = [...byOrdinal.entries()]
    .filter(([ordinal]) => ordinal >= 0 && !isInRange(ordinal, set))
    .toSorted(([a], [b]) => b - a);

  const steps: Step[] = [];
  const add = (pod: Pod, { actions, blocks }: Verdict): boolean => {
    if (actions.length > 0) steps.push({ pod, actions });
    return ordered && blocks;
  };
  for (const { pod, ordinal, exists } of replicas)
    if (add(pod, exists ? judgeExisting(input, pod, ordinal) : judgeMissing(input, pod, ordinal))) return steps;

  for (const [ordinal, pod] of condemned) add(pod, { actions: ownClaims(input, pod, ordinal), blocks: false });
  const firstUnhealthy =
    replicas.find(({ pod }) => isUnavailable(input, pod))?.pod ??
    condemned.toReversed().find(([, pod]) => isUnavailable(input, pod))?.[1];
  for (const [, pod] of condemned) if (add(pod, judgeCondemned(input, pod, firstUnhealthy))) return steps;

  if (set.spec?.updateStrategy?.type !== "OnDelete") {
    const outdated = nextToUpdate(
      input,
      replicas.map(({ pod }) => pod),
    );
    if (outdated) steps.push({ pod: outdated, actions: [{ type: "delete pod", pod: outdated }] });
  }
  return steps;
}

/** Pods below the partition keep the current revision, also when they are created again. */
function newPod({ set, current, update }: Pass, ordinal: number): Pod {
  const { type, rollingUpdate } = set.spec?.updateStrategy ?? {};
  const kept = rollingUpdate
    ? (rollingUpdate.partition ?? 0)
    : type === "RollingUpdate"
      ? (set.status?.currentReplicas ?? 0)
      : 0;
  const revision = ordinal < ordinalsOf(set).start + kept ? current : update;
  return statefulPod(set, templateIn(revision) ?? set.spec!.template, revision.metadata.name ?? "", ordinal);
}

function judgeMissing(input: StatefulSetInput, pod: Pod, ordinal: number): Verdict {
  const { set, claim } = input;
  const isStale = claimsOf(set, ordinal).some(({ metadata }) => {
    const existing = claim(keyIn(set, metadata.name));
    return existing !== undefined && isOutlivedClaim(existing, set, pod);
  });
  if (isStale) return { actions: [], blocks: true };
  return { actions: [...missingClaims(input, ordinal), { type: "create pod", pod }], blocks: true };
}

function judgeExisting(input: StatefulSetInput, pod: Pod, ordinal: number): Verdict {
  const { set, now } = input;
  if (isFinished(pod)) return { actions: isTerminating(pod) ? [] : [{ type: "delete pod", pod }], blocks: true };
  const actions = pod.status?.phase === "Pending" ? missingClaims(input, ordinal) : [];
  actions.push(...ownClaims(input, pod, ordinal));
  if (isTerminating(pod) || !isRunning(pod) || !isAvailable(pod, set.spec?.minReadySeconds ?? 0, now))
    return { actions, blocks: true };
  const updated = identified(pod, ordinal);
  if (updated) actions.push({ type: "update pod", pod: updated });
  return { actions, blocks: false };
}

function judgeCondemned(input: StatefulSetInput, pod: Pod, firstUnhealthy: Pod | undefined): Verdict {
  const { set, now } = input;
  if (isTerminating(pod)) return { actions: [], blocks: true };
  const isHealthy = isRunning(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
  const ordered = set.spec?.podManagementPolicy !== "Parallel";
  // The first unhealthy pod must not keep the set from shrinking; other unhealthy pods are waited for.
  if (ordered && !isHealthy && pod !== firstUnhealthy) return { actions: [], blocks: true };
  return { actions: [{ type: "delete pod", pod }], blocks: true };
}

/** From the highest ordinal down: the first pod of another revision, unless one above it is unavailable. */
function nextToUpdate(input: StatefulSetInput, replicas: readonly Pod[]): Pod | undefined {
  const { set, update } = input;
  const partition = set.spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
  for (let index = replicas.length - 1; index >= partition; index--) {
    const pod = replicas[index]!;
    if (podRevision(pod) !== update.metadata.name && !isTerminating(pod)) return pod;
    if (isUnavailable(input, pod)) return undefined;
  }
  return undefined;
}

function missingClaims({ set, claim }: StatefulSetInput, ordinal: number): Action[] {
  return claimsOf(set, ordinal).flatMap((wanted): Action[] => {
    const existing = claim(keyIn(set, wanted.metadata.name));
    if (!existing) return [{ type: "create claim", claim: wanted }];
    return existing.metadata.deletionTimestamp === undefined
      ? []
      : [{ type: "wait", because: `pvc ${wanted.metadata.name} is being deleted` }];
  });
}

function ownClaims({ set, claim }: StatefulSetInput, pod: Pod, ordinal: number): Action[] {
  return claimsOf(set, ordinal).flatMap(({ metadata }): Action[] => {
    const existing = claim(keyIn(set, metadata.name));
    const owned = existing && ownedByPolicy(existing, set, pod, ordinal);
    return owned ? [{ type: "update claim", claim: owned }] : [];
  });
}

function keyIn({ metadata }: StatefulSet, name: string | undefined): string {
  return `${metadata.namespace}/${name}`;
}

function isRunning(pod: Pod): boolean {
  return pod.status?.phase === "Running" && isReady(pod);
}

function isUnavailable({ set, now }: StatefulSetInput, pod: Pod): boolean {
  return isTerminating(pod) || !isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
}
