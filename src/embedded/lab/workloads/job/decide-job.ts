import type { PlannedEvent } from "../../../../language/object/plan.ts";
import type { Job } from "../workload-objects.ts";
import { type Assessment, assessJob, type JobInput } from "./assess-job.ts";
import { decidePods, type PodsDecision } from "./decide-pods.ts";
import { isFinishedJob, isForeign } from "./job-fields.ts";
import { type Accounting, counted, ended, type JobStatus } from "./job-status.ts";

export interface JobDecision {
  assessment: Assessment;
  pods: PodsDecision;
}

/** Why a Job is left alone, and adopts no pods; `undefined` for one that has to be synced. */
export function skipReason(job: Job): "ManagedByOther" | "Finished" | undefined {
  if (isForeign(job)) return "ManagedByOther";
  return isFinishedJob(job) ? "Finished" : undefined;
}

/** The first half of a pass. `settled`: whether the cache shows all pods that were created and deleted before. */
export function decideJob(input: JobInput & { settled: boolean }): JobDecision {
  const assessment = assessJob(input);
  return { assessment, pods: decidePods(assessment, input.settled) };
}

export interface ReleaseOutcome {
  assessment: Assessment;
  accounting: Accounting;
  /** The status as it was written, which names the pods that ended. */
  status: JobStatus;
  /** Uids of pods that still have the finalizer, since their release failed. */
  unreleased: ReadonlySet<string>;
}

export interface JobConclusion {
  status: JobStatus;
  events: PlannedEvent[];
}

/** The second half, after pods were released: they become numbers, and if none is left the Job ends. */
export function concludeJob({ assessment, accounting, status, unreleased }: ReleaseOutcome): JobConclusion {
  const { job, tracked } = assessment;
  const released = new Set(accounting.release);
  const stillTracked = tracked
    .filter((pod) => !released.has(pod) || unreleased.has(pod.metadata.uid ?? ""))
    .map(({ metadata }) => metadata.uid ?? "");
  const after = counted(status, new Set(stillTracked));
  const last = unreleased.size === 0 ? ended(after, accounting.ending) : undefined;
  return last ? { status: last, events: endEvents(job, last, accounting) } : { status: after, events: [] };
}

function endEvents(job: Job, { succeeded = 0 }: JobStatus, { ending }: Accounting): PlannedEvent[] {
  const { type, reason = "", message = "" } = ending ?? {};
  if (type === "Failed") return [{ regarding: job, type: "Warning", reason, message }];
  const events: PlannedEvent[] = [];
  if (job.spec?.completions !== undefined && succeeded > job.spec.completions)
    events.push({
      regarding: job,
      type: "Warning",
      reason: "TooManySucceededPods",
      message: "Too many succeeded pods running after completion count reached",
    });
  return [...events, { regarding: job, type: "Normal", reason: "Completed", message: "Job completed" }];
}

/** When to reconcile the Job again without an event; `undefined` for never. */
export function requeueAfterMs(
  pods: PodsDecision,
  { deadlineInMs }: Assessment,
  expectationsMs: number | undefined,
): number | undefined {
  const waits = [pods.type === "wait" ? pods.ms : undefined, deadlineInMs, expectationsMs];
  const next = Math.min(...waits.filter((ms) => ms !== undefined));
  return Number.isFinite(next) ? next : undefined;
}
