import {
  type JobPod,
  hasStarted,
  isActive,
  isOfJob,
  type JobProgress,
  progressOf,
  type TuningJob,
} from "./job-progress.ts";
import { hashOfInputs, readRecord, type TunedPod, type TuningInputs, type TuningRecord } from "./tuning.ts";

export interface NodeJob {
  readonly job: TuningJob;
  readonly record: TuningRecord;
  readonly progress: JobProgress;
}

/** The tuning Jobs of a node. Those of another boot changed nothing that is still in force. */
export interface NodeJobs {
  /** The last one of this boot. */
  readonly last?: NodeJob;
  /** The last one of this boot that succeeded, if no later one began to give interrupts back. */
  readonly applied?: NodeJob;
  readonly unfinished: readonly TuningJob[];
  /** Finished, and needed no more. */
  readonly superseded: readonly TuningJob[];
  readonly nextSequence: number;
}

export function nodeJobs(jobs: readonly TuningJob[], bootId: string): NodeJobs {
  const unfinished = jobs.filter((job) => progressOf(job).type === "active");
  const known = jobs
    .flatMap((job) => {
      const record = readRecord(job);
      return record ? [{ job, record, progress: progressOf(job) }] : [];
    })
    .toSorted((a, b) => b.record.sequence - a.record.sequence);
  const current = known.filter(({ job, record }) => record.inputs.bootId === bootId && !job.metadata.deletionTimestamp);
  const [last] = current;
  const done = current.find(({ progress }) => progress.type === "complete");
  const applied = last?.record.inputs.purpose === "return" && done !== last ? undefined : done;
  const kept = new Set([last?.job, done?.job, ...unfinished]);
  return {
    ...(last ? { last } : {}),
    ...(applied ? { applied } : {}),
    unfinished,
    superseded: jobs.filter((job) => !kept.has(job) && !job.metadata.deletionTimestamp),
    nextSequence: (known[0]?.record.sequence ?? 0) + 1,
  };
}

export type Step =
  | { readonly type: "none" }
  | { readonly type: "wait"; readonly ms: number }
  /** It has not begun, and is not wanted any more. */
  | { readonly type: "delete"; readonly job: TuningJob }
  | { readonly type: "create"; readonly record: TuningRecord };

export interface StepInput {
  readonly jobs: NodeJobs;
  readonly pods: readonly JobPod[];
  /** Undefined: the node stays as it is. */
  readonly wanted: TuningInputs | undefined;
  readonly wantedFor: Readonly<Record<string, TunedPod>>;
  readonly nowMs: number;
  /** By uid of a Job: for how long the agent has seen that it failed, whatever the wall clock says. */
  readonly seenFailedMs: ReadonlyMap<string, number>;
}

const firstRetryMs = 60_000;
const longestRetryMs = 1_800_000;

/** Jobs of a node run one after the other, and each to its end: half a tuning is worse than an old one. */
export function nextStep({ jobs, pods, wanted, wantedFor, nowMs, seenFailedMs }: StepInput): Step {
  const { last, unfinished, nextSequence: sequence } = jobs;
  const [running] = unfinished;
  if (running) {
    const inputs = readRecord(running)?.inputs;
    const isWanted = !wanted || (inputs && isSame(inputs, wanted));
    const ofJob = pods.filter((pod) => isOfJob(pod, running));
    return isWanted || hasStarted(ofJob) || running.metadata.deletionTimestamp
      ? { type: "none" }
      : { type: "delete", job: running };
  }
  // A Job that was deleted may have left a pod that still ends.
  if (!wanted || pods.some(isActive)) return { type: "none" };
  const create = (attempt: number): Step => ({
    type: "create",
    record: { inputs: wanted, sequence, attempt, pods: wantedFor },
  });
  if (!last || !isSame(last.record.inputs, wanted)) return create(1);
  if (last.progress.type !== "failed") return { type: "none" };
  const { attempt } = last.record;
  const pause = retryDelayMs(attempt);
  // The wall clock may have been set back since the Job failed.
  const passed = Math.max(nowMs - last.progress.atMs, seenFailedMs.get(last.job.metadata.uid ?? "") ?? 0);
  const ms = pause - passed;
  return ms > 0 ? { type: "wait", ms } : create(attempt + 1);
}

/** How long after a try has failed the next one begins. */
export function retryDelayMs(attempt: number): number {
  return Math.min(firstRetryMs * 2 ** Math.min(attempt - 1, 10), longestRetryMs);
}

function isSame(a: TuningInputs, b: TuningInputs): boolean {
  return hashOfInputs(a) === hashOfInputs(b);
}
