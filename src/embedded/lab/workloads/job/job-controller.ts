import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { claim } from "../pods/claim.ts";
import { controllerOf } from "../pods/controller-of.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { type FailureRecord, noFailures } from "./backoff.ts";
import { concludeJob, decideJob, requeueAfterMs, skipReason } from "./decide-job.ts";
import { isTracked, trackingFinalizer } from "./job-fields.ts";
import { account } from "./job-status.ts";
import { JobWrites } from "./job-writes.ts";
import { orphanController } from "./orphan-controller.ts";

/** As `system:serviceaccount:kube-system:job-controller`. */
export function runJobs(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("job-controller", options, (with_) => {
    const parts = [jobController(with_), orphanController(with_)];
    return { run: async (signal) => void (await Promise.all(parts.map((part) => part.run(signal)))) };
  });
}

export function jobController({
  client,
  caches,
  recorder,
  clock,
  log,
  metrics,
}: WorkloadControllerOptions): Controller {
  const { jobs, pods } = caches;
  const writes = new JobWrites({ client, recorder }, clock);
  const { expectations, releases } = writes;
  const failures = new Map<string, FailureRecord>();

  const reconcile = async (key: string, signal: AbortSignal): Promise<Result | undefined> => {
    const job = writes.newest(key, jobs.get(key));
    if (!job) writes.forget(key);
    if (!job || skipReason(job) === "Finished") failures.delete(key);
    if (!job || skipReason(job)) return undefined;

    // Asked before the cache is read: the cache then shows at least these pods.
    const settled = expectations.met(key);
    const owner = { ownerKind: kinds.job, owner: job, finalizers: [trackingFinalizer] };
    const decision = decideJob({
      job,
      pods: await claim({ client, ...owner, kind: kinds.pod, from: pods, signal }),
      released: releases.deletions(key),
      failures: failures.get(key) ?? noFailures,
      settled,
      now: clock.now(),
    });
    const { assessment } = decision;

    const { errors, ...outcome } = await writes.carryOut(job, decision.pods, { settled, signal });
    const accounting = account(assessment, outcome);
    const current = await writes.writeStatus(job, accounting.status, signal);
    failures.set(key, assessment.failures);
    for (const event of accounting.events) recorder.record(event);
    const failed = await writes.release(key, accounting.release, signal);
    const unreleased = new Set(failed.keys());
    const conclusion = concludeJob({ assessment, accounting, status: current.status ?? {}, unreleased });
    await writes.writeStatus(current, conclusion.status, signal);
    for (const event of conclusion.events) recorder.record(event);
    for (const error of [...failed.values(), ...errors]) throw error;
    return { requeueAfterMs: requeueAfterMs(decision.pods, assessment, expectations.waitMs(key)) };
  };

  return new Controller({
    name: "job",
    concurrency: 5,
    clock,
    log,
    metrics,
    sources: [
      source(jobs, ({ object }) => [keyOf(object)]),
      // Before the next source: releases must be noted before the Job is reconciled.
      source(pods, ({ type, object }) => {
        const owner = controllerOf(object);
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
