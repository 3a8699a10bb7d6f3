import type { StatefulSetStatus } from "kubernetes-types/apps/v1.js";
import { isAvailable, isFinished, isReady, isTerminating, untilAvailable } from "../pods/pod-state.ts";
import { templateIn } from "../revisions/controller-revision.ts";
import type { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from "../workload-objects.ts";
import { isInRange, ordinalOf, ordinalsOf } from "./ordinals.ts";
import { identified, podRevision, statefulPod } from "./stateful-pod.ts";
import { statefulSetStatus } from "./stateful-set-status.ts";
import { claimsOf, isOutlivedClaim, ownedByPolicy } from "./volume-claims.ts";

export interface StatefulSetInput {
  set: StatefulSet;
  pods: readonly Pod[];
  /** What pods under the partition are made of. */
  current: ControllerRevision;
  /** What the template is now. */
  update: ControllerRevision;
  collisions: number;
  claim: (name: string) => PersistentVolumeClaim | undefined;
  now: number;
}

export type Deed =
  | { type: "create claim"; claim: PersistentVolumeClaim }
  | { type: "own claim"; claim: PersistentVolumeClaim }
  | { type: "create pod"; pod: Pod }
  | { type: "update pod"; pod: Pod }
  | { type: "delete pod"; pod: Pod }
  | { type: "wait"; because: string };

/** What is done for one pod, in this order. */
export interface Step {
  pod: Pod;
  deeds: Deed[];
}

export interface StatefulSetPlan {
  steps: Step[];
  status: StatefulSetStatus;
  requeueAfterMs?: number;
}

export function decideStatefulSet(input: StatefulSetInput): StatefulSetPlan {
  const { set, pods, current, update, collisions, now } = input;
  const steps = set.metadata.deletionTimestamp === undefined ? decideSteps(input) : [];
  const replaced = steps.filter(({ pod, deeds }) => isReplaced(pod, deeds, input)).length;
  const status = statefulSetStatus({
    set,
    pods,
    current: current.metadata.name ?? "",
    update: update.metadata.name ?? "",
    collisions,
    replaced,
    now,
  });
  return { steps, status, requeueAfterMs: untilAvailable(pods, set.spec?.minReadySeconds ?? 0, now) };
}

function isReplaced(pod: Pod, deeds: readonly Deed[], { set, current, update }: StatefulSetInput): boolean {
  const revision = podRevision(pod);
  return (
    revision === current.metadata.name &&
    revision !== update.metadata.name &&
    isInRange(ordinalOf(pod, set) ?? -1, set) &&
    deeds.some(({ type }) => type === "delete pod")
  );
}

interface Verdict {
  deeds: Deed[];
  /** Where pods come one after the other, nothing follows before this one is done. */
  holdsUp: boolean;
}

function decideSteps(input: StatefulSetInput): Step[] {
  const { set, pods } = input;
  const ordered = set.spec?.podManagementPolicy !== "Parallel";
  const { start, end } = ordinalsOf(set);
  const there = new Map(pods.map((pod) => [ordinalOf(pod, set) ?? -1, pod]));
  const replicas = Array.from({ length: end - start }, (_, index) => {
    const ordinal = start + index;
    return { ordinal, pod: there.get(ordinal) ?? newPod(input, ordinal), exists: there.has(ordinal) };
  });
  const condemned = [...there.entries()]
    .filter(([ordinal]) => ordinal >= 0 && !isInRange(ordinal, set))
    .toSorted(([a], [b]) => b - a);

  const steps: Step[] = [];
  const add = (pod: Pod, { deeds, holdsUp }: Verdict): boolean => {
    if (deeds.length > 0) steps.push({ pod, deeds });
    return ordered && holdsUp;
  };
  for (const { pod, ordinal, exists } of replicas)
    if (add(pod, exists ? judgeExisting(input, pod, ordinal) : judgeMissing(input, pod, ordinal))) return steps;

  for (const [ordinal, pod] of condemned) add(pod, { deeds: ownClaims(input, pod, ordinal), holdsUp: false });
  const firstUnhealthy =
    replicas.find(({ pod }) => isUnavailable(input, pod))?.pod ??
    condemned.toReversed().find(([, pod]) => isUnavailable(input, pod))?.[1];
  for (const [, pod] of condemned) if (add(pod, judgeCondemned(input, pod, firstUnhealthy))) return steps;

  if (set.spec?.updateStrategy?.type !== "OnDelete") {
    const outdated = nextToUpdate(
      input,
      replicas.map(({ pod }) => pod),
    );
    if (outdated) steps.push({ pod: outdated, deeds: [{ type: "delete pod", pod: outdated }] });
  }
  return steps;
}

/** Pods under the partition keep the current revision, even when they are made again. */
function newPod({ set, current, update }: StatefulSetInput, ordinal: number): Pod {
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
    const there = claim(keyIn(set, metadata.name));
    return there !== undefined && isOutlivedClaim(there, set, pod);
  });
  if (isStale) return { deeds: [], holdsUp: true };
  return { deeds: [...missingClaims(input, ordinal), { type: "create pod", pod }], holdsUp: true };
}

function judgeExisting(input: StatefulSetInput, pod: Pod, ordinal: number): Verdict {
  const { set, now } = input;
  if (isFinished(pod)) return { deeds: isTerminating(pod) ? [] : [{ type: "delete pod", pod }], holdsUp: true };
  const deeds = pod.status?.phase === "Pending" ? missingClaims(input, ordinal) : [];
  deeds.push(...ownClaims(input, pod, ordinal));
  if (isTerminating(pod) || !isRunning(pod) || !isAvailable(pod, set.spec?.minReadySeconds ?? 0, now))
    return { deeds, holdsUp: true };
  const updated = identified(pod, ordinal);
  if (updated) deeds.push({ type: "update pod", pod: updated });
  return { deeds, holdsUp: false };
}

function judgeCondemned(input: StatefulSetInput, pod: Pod, firstUnhealthy: Pod | undefined): Verdict {
  const { set, now } = input;
  if (isTerminating(pod)) return { deeds: [], holdsUp: true };
  const isHealthy = isRunning(pod) && isAvailable(pod, set.spec?.minReadySeconds ?? 0, now);
  const ordered = set.spec?.podManagementPolicy !== "Parallel";
  // One that never came up must not keep the set from getting smaller; any other is waited for.
  if (ordered && !isHealthy && pod !== firstUnhealthy) return { deeds: [], holdsUp: true };
  return { deeds: [{ type: "delete pod", pod }], holdsUp: true };
}

/** From the highest number down: the first pod of another revision, unless one above it is not back yet. */
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

function missingClaims({ set, claim }: StatefulSetInput, ordinal: number): Deed[] {
  return claimsOf(set, ordinal).flatMap((wanted): Deed[] => {
    const there = claim(keyIn(set, wanted.metadata.name));
    if (!there) return [{ type: "create claim", claim: wanted }];
    return there.metadata.deletionTimestamp === undefined
      ? []
      : [{ type: "wait", because: `pvc ${wanted.metadata.name} is being deleted` }];
  });
}

function ownClaims({ set, claim }: StatefulSetInput, pod: Pod, ordinal: number): Deed[] {
  return claimsOf(set, ordinal).flatMap(({ metadata }): Deed[] => {
    const there = claim(keyIn(set, metadata.name));
    const owned = there && ownedByPolicy(there, set, pod, ordinal);
    return owned ? [{ type: "own claim", claim: owned }] : [];
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
