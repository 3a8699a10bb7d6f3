import type { CronJobStatus } from "kubernetes-types/batch/v1.js";
import { omitUndefined } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { formatTime, parseTime } from "../../../../language/object/time.ts";
import { byAge } from "../object-fields.ts";
import type { CronJob, Job } from "../workload-objects.ts";
import { lastBetween, parseSchedule } from "./schedule.ts";

export interface CronJobInput {
  readonly cronJob: CronJob;
  /** The Jobs that it owns. */
  readonly jobs: readonly Job[];
  readonly now: number;
}

export interface CronJobDecision {
  /** The time whose Job is to be started now. */
  readonly start?: number;
  /** Running Jobs that the new one replaces, and finished ones beyond the history limits. */
  readonly remove: readonly Job[];
  readonly status: CronJobStatus;
  readonly event?: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string };
  /** The next time of the schedule. */
  readonly next?: number;
}

/** What a CronJob does now. A time that was missed is made up for once, unless its starting deadline has passed. */
export function decideCronJob({ cronJob, jobs, now }: CronJobInput): CronJobDecision {
  const { spec, status = {}, metadata } = cronJob;
  const running = jobs.filter((job) => outcomeOf(job) === undefined).toSorted(byAge);
  const remove = [
    ...beyond(jobs, "Complete", spec?.successfulJobsHistoryLimit ?? 3),
    ...beyond(jobs, "Failed", spec?.failedJobsHistoryLimit ?? 1),
  ];
  const idle = { remove, status: statusOf(status, running, jobs) };
  if (!spec || spec.suspend || metadata.deletionTimestamp !== undefined) return idle;
  const schedule = parseSchedule(spec.schedule, spec.timeZone);
  const next = schedule.next(now);
  const waiting = { ...idle, ...(next === undefined ? {} : { next }) };

  const last = parseTime(status.lastScheduleTime ?? metadata.creationTimestamp ?? "") ?? now;
  const due = lastBetween(schedule, last, now);
  if (due === undefined) return waiting;
  const deadline = spec.startingDeadlineSeconds;
  if (deadline !== undefined && due + deadline * 1000 < now) {
    const message = `Missed scheduled time to start a job: ${formatTime(due)}`;
    return { ...waiting, event: { type: "Warning", reason: "MissSchedule", message } };
  }
  if (spec.concurrencyPolicy === "Forbid" && running.length > 0) {
    const message = "Not starting job because prior execution is running and concurrency policy is Forbid";
    return { ...waiting, event: { type: "Normal", reason: "JobAlreadyActive", message } };
  }
  const replaced = spec.concurrencyPolicy === "Replace" ? running : [];
  const started = { ...status, lastScheduleTime: formatTime(due) };
  const left = running.filter((job) => !replaced.includes(job));
  return { ...waiting, start: due, remove: [...remove, ...replaced], status: statusOf(started, left, jobs) };
}

/** `Complete` or `Failed`; undefined while it runs. */
function outcomeOf({ status }: Job): "Complete" | "Failed" | undefined {
  const ended = (status?.conditions ?? []).find(
    ({ type, status: is }) => (type === "Complete" || type === "Failed") && is === "True",
  );
  return ended?.type as "Complete" | "Failed" | undefined;
}

/** The oldest finished Jobs of an outcome that exceed its history limit. */
function beyond(jobs: readonly Job[], outcome: "Complete" | "Failed", limit: number): Job[] {
  const ended = jobs.filter((job) => outcomeOf(job) === outcome).toSorted(byAge);
  return ended.slice(0, Math.max(0, ended.length - limit));
}

function statusOf(before: CronJobStatus, running: readonly Job[], jobs: readonly Job[]): CronJobStatus {
  const successes = jobs.flatMap(({ status }) => status?.completionTime ?? []);
  const lastSuccessfulTime = [...successes, before.lastSuccessfulTime ?? ""].toSorted().at(-1);
  return omitUndefined({
    active: running.length > 0 ? running.map(referenceTo) : undefined,
    lastScheduleTime: before.lastScheduleTime,
    lastSuccessfulTime: lastSuccessfulTime || undefined,
  });
}

export function referenceTo({ metadata }: KubeObject): object {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion: "batch/v1", kind: "Job", name, namespace, uid, resourceVersion };
}
