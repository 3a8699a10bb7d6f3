import { isAlreadyExists, isNotFound } from "../../../../cluster/kube/api-error.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { controllerReference } from "../pods/controller-of.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { byController } from "../workload-caches.ts";
import type { CronJob, Job } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { decideCronJob } from "./decide-cron-job.ts";

/** As `system:serviceaccount:kube-system:cronjob-controller`. */
export function runCronJobs(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("cronjob-controller", options, cronJobController);
}

export function cronJobController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { cronJobs, jobs } = caches;

  const create = async (cronJob: CronJob, time: number, signal: AbortSignal): Promise<void> => {
    const job = jobFor(cronJob, time);
    try {
      await client.create(kinds.job, job, { namespace: cronJob.metadata.namespace, signal });
      const message = `Created job ${job.metadata.name}`;
      recorder.record({ regarding: cronJob, type: "Normal", reason: "SuccessfulCreate", message });
    } catch (error) {
      // Created before a crash, whose status was not written.
      if (!isAlreadyExists(error)) throw error;
    }
  };
  const remove = async ({ metadata }: Job, signal: AbortSignal): Promise<void> => {
    const { name = "", namespace, uid } = metadata;
    try {
      const preconditions = { uid };
      await client.delete(kinds.job, name, { namespace, preconditions, propagationPolicy: "Background", signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  return new Controller({
    name: "cron-job",
    clock,
    log,
    metrics,
    sources: [source(cronJobs, ({ object }) => [keyOf(object)]), dependentsSource(jobs, kinds.cronJob, cronJobs)],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      const cronJob = cronJobs.get(key);
      if (!cronJob) return undefined;
      const now = clock.now();
      const decision = decideCronJob({ cronJob, jobs: jobs.byIndex(byController, cronJob.metadata.uid ?? ""), now });
      if (decision.event) recorder.record({ regarding: cronJob, ...decision.event });
      await Promise.all(decision.remove.map((job) => remove(job, signal)));
      // The Job's name has its time: a Job is not started twice if the status cannot be written.
      if (decision.start !== undefined) await create(cronJob, decision.start, signal);
      const { status } = decision;
      const written = await writeStatus({ client, kind: kinds.cronJob, object: cronJob, status, signal });
      if (written === "outdated") return { requeue: true };
      return decision.next === undefined ? undefined : { requeueAfterMs: decision.next - now };
    },
  });
}

function jobFor(cronJob: CronJob, time: number): Job {
  const { name = "", namespace } = cronJob.metadata;
  const { metadata, spec } = cronJob.spec?.jobTemplate ?? {};
  const scheduled = { "batch.kubernetes.io/cronjob-scheduled-timestamp": formatTime(time) };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: `${name}-${Math.floor(time / 60_000)}`,
      ...(namespace ? { namespace } : {}),
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, ...scheduled },
      ownerReferences: [controllerReference(kinds.cronJob, cronJob)],
    },
    ...(spec ? { spec } : {}),
  };
}
