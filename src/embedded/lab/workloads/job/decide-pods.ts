import type { Job, Pod } from "../workload-objects.ts";
import { inDeletionOrder } from "../replica-set/deletion-order.ts";
import type { Assessment } from "./assess-job.ts";
import { finishedAt, waitMs } from "./backoff.ts";
import { Indexes } from "./indexes.ts";
import { failuresBefore, indexOf, isIndexed, isSuspended, waitsForEnd } from "./job-fields.ts";
import { indexedPod, jobPod } from "./job-pod.ts";

export type PodsDecision =
  | { type: "enough" }
  /** The Job ends: its pods are deleted and counted. */
  | { type: "end"; pods: readonly Pod[] }
  /** Pods over the wanted number: they are deleted and not counted. */
  | { type: "delete"; pods: readonly Pod[] }
  | { type: "create"; pods: readonly Pod[] }
  /** The backoff after failures delays the next pod. */
  | { type: "wait"; ms: number };

/** The most pods that a pass creates or deletes. */
const burst = 500;

/** `settled`: whether the cache shows all pods that were created and deleted before. */
export function decidePods(assessment: Assessment, settled: boolean): PodsDecision {
  const { job, active, verdict } = assessment;
  if (verdict) return { type: "end", pods: active };
  if (!settled || job.metadata.deletionTimestamp !== undefined) return { type: "enough" };
  const wanted = isSuspended(job) ? 0 : wantedActive(assessment);
  const surplus = surplusPods(assessment, Math.max(0, active.length - wanted));
  if (surplus.length > 0) return { type: "delete", pods: isSuspended(job) ? surplus : surplus.slice(0, burst) };
  const leaving = waitsForEnd(job) ? assessment.terminating.length : 0;
  const missing = Math.min(burst, wanted - leaving - active.length);
  if (missing <= 0) return { type: "enough" };
  return isIndexed(job) ? createIndexed(assessment, missing) : createPlain(assessment, missing);
}

/** Without `completions` no pod is created after the first success, and the running ones continue. */
function wantedActive({ job: { spec }, active, succeeded }: Assessment): number {
  const parallelism = spec?.parallelism ?? 1;
  if (spec?.completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, spec.completions - succeeded));
}

/** At least `atLeast` pods, and every pod without an index or with an index that another pod has. */
function surplusPods({ job, active, now }: Assessment, atLeast: number): readonly Pod[] {
  const { doubled, others } = isIndexed(job) ? withoutDoubles(job, active, now) : { doubled: [], others: active };
  const more = atLeast - doubled.length;
  return more > 0 ? [...doubled, ...inDeletionOrder(others, [], now).slice(0, more)] : doubled;
}

function withoutDoubles(job: Job, active: readonly Pod[], now: number): { doubled: Pod[]; others: Pod[] } {
  const byIndex = new Map<number | undefined, Pod[]>();
  for (const pod of active) {
    const index = indexOf(pod, job.spec?.completions ?? 0);
    const same = byIndex.get(index);
    if (same) same.push(pod);
    else byIndex.set(index, [pod]);
  }
  const doubled: Pod[] = [];
  const others: Pod[] = [];
  for (const [index, pods] of byIndex) {
    const order = inDeletionOrder(pods, [], now);
    const kept = index === undefined ? undefined : order.pop();
    if (kept) others.push(kept);
    doubled.push(...order);
  }
  return { doubled, others };
}

function createPlain({ job, failures, now }: Assessment, count: number): PodsDecision {
  const ms = waitMs(failures, now);
  if (ms > 0) return { type: "wait", ms };
  return { type: "create", pods: Array.from({ length: count }, () => jobPod(job)) };
}

function createIndexed(assessment: Assessment, count: number): PodsDecision {
  const { job, active, terminating, indexes, replaceable, failures, now } = assessment;
  const completions = job.spec?.completions ?? 0;
  const perIndex = job.spec?.backoffLimitPerIndex !== undefined;
  const ms = perIndex ? 0 : waitMs(failures, now);
  if (ms > 0) return { type: "wait", ms };
  const taken = [...active, ...(waitsForEnd(job) ? terminating : [])]
    .map((pod) => indexOf(pod, completions))
    .filter((index) => index !== undefined);
  const done = (indexes?.succeeded ?? Indexes.none).union(indexes?.failed ?? Indexes.none).union(Indexes.of(taken));
  const waits = new Map<number, number>();
  for (const index of done.missing(count, completions)) {
    const before = replaceable.get(index);
    waits.set(index, before && perIndex ? waitMs(indexFailures(before), now) : 0);
  }
  const ready = [...waits].filter(([, wait]) => wait === 0).map(([index]) => index);
  if (ready.length === 0)
    return waits.size === 0 ? { type: "enough" } : { type: "wait", ms: Math.min(...waits.values()) };
  return { type: "create", pods: ready.map((index) => indexedPod(job, index, replaceable.get(index))) };
}

function indexFailures(pod: Pod): { failures: number; lastAt: number } {
  const { counted, ignored } = failuresBefore(pod);
  return { failures: counted + ignored + 1, lastAt: finishedAt(pod) };
}
