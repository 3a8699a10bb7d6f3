import type { JobCondition, JobStatus as PublishedStatus } from "kubernetes-types/batch/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import { findCondition } from "../../../../language/object/condition.ts";
import { formatTime } from "../../../../language/object/time.ts";
import type { PlannedEvent } from "../../../../language/object/plan.ts";
import { isReady } from "../pods/pod-state.ts";
import type { Job, Pod } from "../workload-objects.ts";
import { type Assessment, endingWith, jobCondition } from "./assess-job.ts";
import { Indexes } from "./indexes.ts";
import { hasFailed, indexOf, isIndexed, isSuspended } from "./job-fields.ts";
import { judgeFailure } from "./job-policies.ts";

export type JobStatus = PublishedStatus & { failedIndexes?: string };

/** The outcome of the decision about pods. */
export interface PodsOutcome {
  created: number;
  deleted: readonly Pod[];
  /** Whether pods were managed in this pass: they are not while the cache lags behind. */
  managed: boolean;
  /** Whether the Job may end: all of its pods were deleted. */
  done: boolean;
}

export interface Accounting {
  /** Has the uids of the pods that ended. Written before they are released. */
  status: JobStatus;
  /** The pods to release once the status is written. */
  release: readonly Pod[];
  /** The condition of the Job once no pod is left to count. */
  ending: JobCondition | undefined;
  events: PlannedEvent[];
}

/** The most uids in a status, as in kube-controller-manager. */
const mostUncounted = 500;

export function account(assessment: Assessment, outcome: PodsOutcome): Accounting {
  const { job, now, active, tracked, indexes } = assessment;
  const left = active.length + outcome.created - outcome.deleted.length;
  const deleted = new Set(outcome.deleted);
  const ready = active.filter((pod) => isReady(pod) && !deleted.has(pod)).length;
  const verdict = assessment.verdict ? (outcome.done ? assessment.verdict : undefined) : completion(assessment, left);
  const events: PlannedEvent[] = [];
  let { startTime } = assessment;
  let conditions = job.status?.conditions ?? [];
  if (!verdict && outcome.managed) {
    const change = suspension(job, conditions, now);
    if (change) {
      conditions = change.conditions;
      startTime = isSuspended(job) ? startTime : formatTime(now);
      events.push({ regarding: job, type: "Normal", reason: change.event, message: change.message });
    }
  }
  if (verdict && verdict.type !== "Failed" && findCondition(conditions, verdict.type)?.status !== "True")
    conditions = [...conditions, verdict];

  const uids = new Set(tracked.map(({ metadata }) => metadata.uid ?? ""));
  const counters = counted(
    omitUndefined({
      ...job.status,
      active: left || undefined,
      ready,
      terminating: assessment.terminating.length + outcome.deleted.length,
      startTime,
      conditions: conditions.length > 0 ? conditions : undefined,
    }),
    uids,
  );
  const { uncounted, release, newIndexes, full } = uncount(assessment, counters, verdict);
  const succeededIndexes = indexes?.succeeded.union(Indexes.of(newIndexes));
  const status: JobStatus = omitUndefined({
    ...counters,
    uncountedTerminatedPods: uncounted,
    ...(succeededIndexes && {
      succeeded: succeededIndexes.total || undefined,
      completedIndexes: succeededIndexes.toString() || undefined,
      failedIndexes: indexes?.failed?.toString(),
    }),
  });
  return {
    status,
    release,
    ending:
      verdict && !full
        ? endingWith(verdict.type === "SuccessCriteriaMet" ? "Complete" : "Failed", verdict, now)
        : undefined,
    events,
  };
}

function completion({ job: { spec }, succeeded, now }: Assessment, active: number): JobCondition | undefined {
  const enough = spec?.completions === undefined ? succeeded > 0 : succeeded >= spec.completions;
  if (!enough || active > 0) return undefined;
  return jobCondition(
    { type: "SuccessCriteriaMet", reason: "CompletionsReached", message: "Reached expected number of succeeded pods" },
    now,
  );
}

function suspension(
  job: Job,
  conditions: readonly JobCondition[],
  now: number,
): { conditions: JobCondition[]; event: string; message: string } | undefined {
  const type = "Suspended";
  const existing = findCondition(conditions, type);
  const status = isSuspended(job) ? "True" : "False";
  if ((existing?.status ?? "False") === status) return undefined;
  const [event, reason, message] = isSuspended(job)
    ? ["Suspended", "JobSuspended", "Job suspended"]
    : ["Resumed", "JobResumed", "Job resumed"];
  const condition = jobCondition({ type, status, reason, message }, now);
  const list = existing ? conditions.map((one) => (one === existing ? condition : one)) : [...conditions, condition];
  return { conditions: list, event, message };
}

/** Moves the pods that have been released from the list of uids into the counts. */
export function counted(status: JobStatus, stillTracked: ReadonlySet<string>): JobStatus {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const keep = (uids: readonly string[]): string[] => uids.filter((uid) => stillTracked.has(uid));
  const stay = { succeeded: keep(succeeded), failed: keep(failed) };
  return omitUndefined({
    ...status,
    succeeded: (status.succeeded ?? 0) + succeeded.length - stay.succeeded.length || undefined,
    failed: (status.failed ?? 0) + failed.length - stay.failed.length || undefined,
    uncountedTerminatedPods: withoutEmpty(stay),
  });
}

function withoutEmpty({ succeeded, failed }: { succeeded: string[]; failed: string[] }): {
  succeeded?: string[];
  failed?: string[];
} {
  return { ...(succeeded.length > 0 && { succeeded }), ...(failed.length > 0 && { failed }) };
}

/** Adds the uids of pods that ended to the status; they are released afterwards. At most `mostUncounted` at once. */
function uncount(
  { job, tracked, indexes, replaceable }: Assessment,
  { uncountedTerminatedPods }: JobStatus,
  verdict: JobCondition | undefined,
): { uncounted: { succeeded?: string[]; failed?: string[] }; release: Pod[]; newIndexes: number[]; full: boolean } {
  const completions = job.spec?.completions ?? 0;
  const succeeded = new Set(uncountedTerminatedPods?.succeeded);
  const failed = new Set(uncountedTerminatedPods?.failed);
  const waiting = new Set(replaceable.values());
  const newIndexes: number[] = [];
  const release: Pod[] = [];
  const failing = verdict !== undefined && verdict.type !== "SuccessCriteriaMet";
  for (const pod of tracked) {
    const { uid = "" } = pod.metadata;
    const isSuccess = pod.status?.phase === "Succeeded" && !failed.has(uid);
    const isFailure = hasFailed(pod, job);
    const mayGo = job.metadata.deletionTimestamp !== undefined || verdict !== undefined || isSuccess;
    if (!mayGo && (!isFailure || waiting.has(pod))) continue;
    release.push(pod);
    const index = isIndexed(job) ? indexOf(pod, completions) : undefined;
    const countable = !isIndexed(job) || index !== undefined;
    if (isSuccess) {
      if (!isIndexed(job)) succeeded.add(uid);
      else if (index !== undefined && !indexes?.before.has(index)) newIndexes.push(index);
    } else if ((isFailure || failing) && countable && judgeFailure(job, pod).type !== "ignore") failed.add(uid);
    if (newIndexes.length + succeeded.size + failed.size >= mostUncounted)
      return {
        uncounted: withoutEmpty({ succeeded: [...succeeded], failed: [...failed] }),
        release,
        newIndexes,
        full: true,
      };
  }
  return {
    uncounted: withoutEmpty({ succeeded: [...succeeded], failed: [...failed] }),
    release,
    newIndexes,
    full: false,
  };
}

/** The final status, once no pod is left to count and none is terminating. */
export function ended(status: JobStatus, ending: JobCondition | undefined): JobStatus | undefined {
  const { uncountedTerminatedPods: uncounted, terminating = 0, conditions = [] } = status;
  if (!ending || terminating > 0 || uncounted?.succeeded?.length || uncounted?.failed?.length) return undefined;
  return omitUndefined({
    ...status,
    conditions: [...conditions.filter(({ type }) => type !== ending.type), ending],
    completionTime: ending.type === "Complete" ? ending.lastTransitionTime : status.completionTime,
  });
}
