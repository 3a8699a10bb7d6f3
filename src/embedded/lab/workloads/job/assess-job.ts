import type { JobCondition } from "kubernetes-types/batch/v1.js";
import { findCondition } from "../../../../language/object/condition.ts";
import { formatTime, parseTime } from "../../../../language/object/time.ts";
import { isActive, isFinished, isTerminating } from "../pods/pod-state.ts";
import type { Job, Pod } from "../workload-objects.ts";
import { type FailureRecord, finishedAt, recordAfter } from "./backoff.ts";
import { Indexes } from "./indexes.ts";
import { failuresBefore, hasFailed, indexOf, isIndexed, isSuspended, isTracked } from "./job-fields.ts";
import { judgeFailure, judgeSuccess } from "./job-policies.ts";

export interface JobInput {
  job: Job;
  /** All of its pods, finished ones included. */
  pods: readonly Pod[];
  /** Uids of pods that were released; the cache does not show it yet. */
  released: ReadonlySet<string>;
  failures: FailureRecord;
  now: number;
}

/** The progress of a Job. */
export interface Assessment {
  job: Job;
  now: number;
  pods: readonly Pod[];
  active: readonly Pod[];
  terminating: readonly Pod[];
  /** Pods that have yet to be counted and released. */
  tracked: readonly Pod[];
  succeeded: number;
  /** Of an indexed Job: indexes that succeeded according to the status (`before`) and now, and indexes that failed. */
  indexes: { before: Indexes; succeeded: Indexes; failed?: Indexes } | undefined;
  /** By index: the failed pod that is kept until its replacement exists, which continues its failure count. */
  replaceable: ReadonlyMap<number, Pod>;
  startTime: string | undefined;
  failures: FailureRecord;
  /** The condition with which the Job has to end. */
  verdict: JobCondition | undefined;
  /** Milliseconds until `activeDeadlineSeconds` are over. */
  deadlineInMs: number | undefined;
}

export function assessJob(input: JobInput): Assessment {
  const { job, pods, released, now } = input;
  const { status = {} } = job;
  const completions = job.spec?.completions ?? 0;
  const uncounted = {
    succeeded: new Set(status.uncountedTerminatedPods?.succeeded),
    failed: new Set(status.uncountedTerminatedPods?.failed),
  };
  const tracked = pods.filter((pod) => isTracked(pod) && !released.has(pod.metadata.uid ?? ""));
  const valid = isIndexed(job) ? tracked.filter((pod) => indexOf(pod, completions) !== undefined) : tracked;
  const newSucceeded = valid.filter(
    (pod) => pod.status?.phase === "Succeeded" && !uncounted.succeeded.has(pod.metadata.uid ?? ""),
  );
  const newFailed = valid.filter((pod) => hasFailed(pod, job) && !uncounted.failed.has(pod.metadata.uid ?? ""));
  const counted = newFailed.filter((pod) => judgeFailure(job, pod).type !== "ignore").length;
  const failed = (status.failed ?? 0) + counted + uncounted.failed.size;
  const active = pods.filter(isActive);
  const indexes = isIndexed(job) ? assessIndexes(job, pods, completions) : undefined;
  const startTime = status.startTime ?? (isSuspended(job) ? undefined : formatTime(now));
  const verdict = judge(job, { pods, failed, indexes, startTime, now });
  return {
    job,
    now,
    pods,
    active,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)),
    tracked,
    succeeded: indexes
      ? indexes.succeeded.total
      : (status.succeeded ?? 0) + newSucceeded.length + uncounted.succeeded.size,
    indexes,
    replaceable: indexes?.failed ? replaceable(job, valid, active, indexes) : new Map(),
    startTime,
    failures: recordAfter(input.failures, newSucceeded, newFailed),
    verdict,
    deadlineInMs: verdict ? undefined : untilDeadline(job, startTime, now),
  };
}

function assessIndexes(job: Job, pods: readonly Pod[], completions: number): NonNullable<Assessment["indexes"]> {
  const { status, spec } = job;
  const of = (holds: (pod: Pod) => boolean): Indexes =>
    Indexes.of(
      pods
        .filter((pod) => isTracked(pod) && holds(pod))
        .map((pod) => indexOf(pod, completions))
        .filter((index) => index !== undefined),
    );
  const before = Indexes.parse(status?.completedIndexes ?? "", completions);
  const succeeded = before.union(of((pod) => pod.status?.phase === "Succeeded"));
  const limit = spec?.backoffLimitPerIndex;
  if (limit === undefined) return { before, succeeded };
  const { failedIndexes = "" } = (status ?? {}) as { failedIndexes?: string };
  const failed = Indexes.parse(failedIndexes, completions).union(of((pod) => failsIndex(job, pod, limit)));
  return { before, succeeded, failed };
}

function failsIndex(job: Job, pod: Pod, limit: number): boolean {
  if (!hasFailed(pod, job)) return false;
  const { type } = judgeFailure(job, pod);
  return type === "fail index" || (type !== "ignore" && failuresBefore(pod).counted >= limit);
}

function replaceable(
  job: Job,
  valid: readonly Pod[],
  active: readonly Pod[],
  { succeeded, failed }: NonNullable<Assessment["indexes"]>,
): Map<number, Pod> {
  const completions = job.spec?.completions ?? 0;
  const running = new Set(active.map((pod) => indexOf(pod, completions)));
  const latest = new Map<number, Pod>();
  for (const pod of valid) {
    const index = indexOf(pod, completions);
    if (index === undefined || !hasFailed(pod, job)) continue;
    if (succeeded.has(index) || failed?.has(index) || running.has(index)) continue;
    const other = latest.get(index);
    if (!other || (allFailures(pod) >= allFailures(other) && finishedAt(pod) >= finishedAt(other)))
      latest.set(index, pod);
  }
  return latest;
}

function allFailures(pod: Pod): number {
  const { counted, ignored } = failuresBefore(pod);
  return counted + ignored;
}

interface Progress {
  pods: readonly Pod[];
  failed: number;
  indexes: Assessment["indexes"];
  startTime: string | undefined;
  now: number;
}

/** The condition with which the Job has to end, if it has to. The first rule that holds gives the reason. */
function judge(job: Job, { pods, failed, indexes, startTime, now }: Progress): JobCondition | undefined {
  const { spec, status } = job;
  const met = findCondition(status?.conditions, "SuccessCriteriaMet");
  if (met?.status === "True") return met;
  const target = findCondition(status?.conditions, "FailureTarget");
  if (target?.status === "True") return endingWith("Failed", target, now);
  const fail = (reason: string, message: string): JobCondition =>
    jobCondition({ type: "FailureTarget", reason, message }, now);
  for (const pod of spec?.podFailurePolicy ? pods.filter((one) => hasFailed(one, job)) : []) {
    const verdict = judgeFailure(job, pod);
    if (verdict.type === "fail job") return fail("PodFailurePolicy", verdict.message);
  }
  if (failed > (spec?.backoffLimit ?? 6) || restartsExceedLimit(job, pods))
    return fail("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  const left = untilDeadline(job, startTime, now);
  if (left !== undefined && left <= 0) return fail("DeadlineExceeded", "Job was active longer than specified deadline");
  if (!indexes) return undefined;
  const { succeeded, failed: failedIndexes = Indexes.none } = indexes;
  if (spec?.maxFailedIndexes !== undefined && failedIndexes.total > spec.maxFailedIndexes)
    return fail("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  if (failedIndexes.total > 0 && failedIndexes.total + succeeded.total >= (spec?.completions ?? 0))
    return fail("FailedIndexes", "Job has failed indexes");
  const success = judgeSuccess(job, succeeded);
  if (success === undefined) return undefined;
  return jobCondition({ type: "SuccessCriteriaMet", reason: "SuccessPolicy", message: success }, now);
}

/** The condition that ends a Job, for the reason that its target condition gave. */
export function endingWith(
  type: "Complete" | "Failed",
  { reason = "", message = "" }: Pick<JobCondition, "reason" | "message">,
  now: number,
): JobCondition {
  return jobCondition({ type, reason, message }, now);
}

/** With `restartPolicy: OnFailure`, restarts of containers count as failures. */
function restartsExceedLimit({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  const limit = spec.backoffLimit ?? 6;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue;
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])])
      restarts += restartCount;
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function untilDeadline(job: Job, startTime: string | undefined, now: number): number | undefined {
  const seconds = job.spec?.activeDeadlineSeconds;
  if (seconds === undefined || startTime === undefined || isSuspended(job)) return undefined;
  return (parseTime(startTime) ?? now) + seconds * 1000 - now;
}

/** The condition is True unless it has another status. */
export function jobCondition(
  condition: Pick<JobCondition, "type"> & Partial<Pick<JobCondition, "status" | "reason" | "message">>,
  now: number,
): JobCondition {
  const time = formatTime(now);
  return { status: "True", lastProbeTime: time, lastTransitionTime: time, reason: "", message: "", ...condition };
}
