import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { isOlder } from "../../../../cluster/kube/cache.ts";
import { equal } from "../../../../language/object/json.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { forEachBounded } from "../../../../cluster/runtime/for-each-bounded.ts";
import { claim } from "../pods/claim.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { Expectations } from "../pods/expectations.ts";
import { createExpected, deleteExpected } from "../pods/expected-writes.ts";
import type { PodWrites } from "../pods/pod-writes.ts";
import type { Job, Pod } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { assessJob } from "./assess-job.ts";
import { type FailureRecord, noFailures } from "./backoff.ts";
import { decidePods, type PodsDecision } from "./decide-pods.ts";
import { isFinishedJob, isForeign, isTracked, trackingFinalizer } from "./job-fields.ts";
import { account, counted, ended, type JobStatus, type PodsOutcome } from "./job-status.ts";
import { orphanController } from "./orphan-controller.ts";
import { releasePod } from "./release-pod.ts";

const requestsAtOnce = 32;

/** As `system:serviceaccount:kube-system:job-controller`. */
export function runJobs(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("job-controller", options, (with_) => {
    const parts = [jobController(with_), orphanController(with_)];
    return { run: async (signal) => void (await Promise.all(parts.map((part) => part.run(signal)))) };
  });
}

export function jobController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { jobs, pods } = caches;
  const expectations = new Expectations(clock);
  /** Pods that were released, though the cache does not show it. */
  const releases = new Expectations(clock);
  const failures = new Map<string, FailureRecord>();
  /** What was written last. A cache that lags behind would have the same pods counted, or made, twice. */
  const written = new Map<string, Job>();

  const newest = (key: string): Job | undefined => {
    const cached = jobs.get(key);
    const ours = written.get(key);
    if (!cached || !ours) return cached;
    const isBehind = isOlder(cached.metadata.resourceVersion ?? "", ours.metadata.resourceVersion ?? "");
    if (isBehind && cached.metadata.uid === ours.metadata.uid) return ours;
    written.delete(key);
    return cached;
  };

  const forget = (key: string): void => {
    expectations.forget(key);
    releases.forget(key);
    failures.delete(key);
    written.delete(key);
  };

  const carryOut = async (
    job: Job,
    decision: PodsDecision,
    settled: boolean,
    writes: PodWrites,
  ): Promise<PodsOutcome & { errors: unknown[] }> => {
    const nothing = { created: 0, deleted: [], errors: [] };
    switch (decision.type) {
      case "create": {
        const outcome = await createExpected(decision.pods, job, expectations, writes);
        return { ...nothing, ...outcome, managed: true, done: true };
      }
      case "delete": {
        const release = async (pod: Pod): Promise<unknown> => isTracked(pod) && releasePod(client, pod, writes.signal);
        const outcome = await deleteExpected(decision.pods, job, expectations, writes, release);
        return { ...nothing, ...outcome, managed: true, done: true };
      }
      case "end": {
        const outcome = await deleteExpected(decision.pods, job, expectations, writes);
        return { ...nothing, ...outcome, managed: true, done: outcome.errors.length === 0 && settled };
      }
      default:
        return { ...nothing, managed: settled, done: true };
    }
  };

  const write = async (job: Job, status: JobStatus, signal: AbortSignal): Promise<Job> => {
    if (equal(job.status ?? {}, status)) return job;
    const { namespace } = job.metadata;
    const updated = await client.update(kinds.job, { ...job, status }, { namespace, subresource: "status", signal });
    written.set(keyOf(job), updated);
    return updated;
  };

  /** Returns the uids that could not be released. */
  const release = async (key: string, ended: readonly Pod[], signal: AbortSignal): Promise<Map<string, unknown>> => {
    const failed = new Map<string, unknown>();
    releases.expectDeletions(
      key,
      ended.map(({ metadata }) => metadata.uid ?? ""),
    );
    await forEachBounded(ended, requestsAtOnce, async (pod) => {
      const { uid = "" } = pod.metadata;
      try {
        if (!(await releasePod(client, pod, signal))) releases.deletionObserved(key, uid);
      } catch (error) {
        releases.deletionObserved(key, uid);
        failed.set(uid, error);
      }
    });
    return failed;
  };

  const tellEnd = (job: Job, type: string, reason = "", message = ""): void => {
    const completions = job.spec?.completions;
    if (type === "Failed") recorder.record({ regarding: job, type: "Warning", reason, message });
    else {
      if (completions !== undefined && (job.status?.succeeded ?? 0) > completions)
        recorder.record({
          regarding: job,
          type: "Warning",
          reason: "TooManySucceededPods",
          message: "Too many succeeded pods running after completion count reached",
        });
      recorder.record({ regarding: job, type: "Normal", reason: "Completed", message: "Job completed" });
    }
  };

  const reconcile = async (key: string, signal: AbortSignal): Promise<Result | undefined> => {
    const job = newest(key);
    if (!job) {
      forget(key);
      return undefined;
    }
    if (isForeign(job)) return undefined;
    if (isFinishedJob(job)) {
      failures.delete(key);
      return undefined;
    }
    const settled = expectations.met(key);
    const mine = await claim({
      client,
      ownerKind: kinds.job,
      owner: job,
      kind: kinds.pod,
      from: pods,
      finalizers: [trackingFinalizer],
      signal,
    });
    const now = clock.now();
    const assessment = assessJob({
      job,
      pods: mine,
      released: releases.deletions(key),
      failures: failures.get(key) ?? noFailures,
      now,
    });
    const decision = decidePods(assessment, settled);
    const { errors, ...outcome } = await carryOut(job, decision, settled, { client, recorder, signal });
    const accounting = account(assessment, outcome);
    let current = await write(job, accounting.status, signal);
    failures.set(key, assessment.failures);
    for (const event of accounting.events) recorder.record(event);
    const failed = await release(key, accounting.release, signal);
    const gone = new Set(accounting.release.map(({ metadata }) => metadata.uid ?? "").filter((id) => !failed.has(id)));
    const stillTracked = new Set(
      assessment.tracked.map(({ metadata }) => metadata.uid ?? "").filter((id) => !gone.has(id)),
    );
    const after = counted(current.status ?? {}, stillTracked);
    const last = failed.size === 0 ? ended(after, accounting.ending) : undefined;
    current = await write(current, last ?? after, signal);
    if (last && accounting.ending) {
      const { type, reason, message } = accounting.ending;
      tellEnd(current, type, reason, message);
    }
    for (const refusal of failed.values()) throw refusal;
    for (const refusal of errors) throw refusal;
    const waits = [
      decision.type === "wait" ? decision.ms : undefined,
      assessment.deadlineInMs,
      expectations.waitMs(key),
    ].filter((ms) => ms !== undefined);
    return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
  };

  return new Controller({
    name: "job",
    concurrency: 5,
    clock,
    log,
    metrics,
    sources: [
      source(jobs, ({ object }) => [keyOf(object)]),
      // Before the next: what is seen must be noted before the Job is looked at.
      source(pods, ({ type, object }) => {
        const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
        if (owner && (type === "deleted" || !isTracked(object)))
          releases.deletionObserved(`${object.metadata.namespace}/${owner.name}`, object.metadata.uid ?? "");
        return [];
      }),
      dependentsSource(pods, kinds.job, jobs, expectations),
    ],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      try {
        return await reconcile(key, signal);
      } catch (error) {
        if (isConflict(error)) return { requeue: true };
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
  });
}
