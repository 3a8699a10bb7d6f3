import { keyOf } from "../../../../language/object/meta.ts";
import { Controller, source } from "../../../../cluster/runtime/controller/controller.ts";
import { controllerOf } from "../pods/controller-of.ts";
import { byController } from "../workload-caches.ts";
import type { Pod } from "../workload-objects.ts";
import type { WorkloadControllerOptions } from "../workload-options.ts";
import { isFinishedJob, isTracked } from "./job-fields.ts";
import { releasePod } from "./job-writes.ts";

/** Releases pods whose Job is deleted or finished: the Job controller does not count them, and their finalizer would stay. */
export function orphanController({ client, caches, clock, log, metrics }: WorkloadControllerOptions): Controller {
  const { jobs, pods } = caches;

  const isOrphaned = (pod: Pod): boolean => {
    if (!isTracked(pod)) return false;
    const owner = controllerOf(pod);
    const job = owner?.kind === "Job" ? jobs.get(`${pod.metadata.namespace}/${owner.name}`) : undefined;
    return !job || job.metadata.uid !== owner?.uid || isFinishedJob(job);
  };

  return new Controller({
    name: "job-orphans",
    clock,
    log,
    metrics,
    sources: [
      source(pods, ({ type, object }) => (type !== "deleted" && isOrphaned(object) ? [keyOf(object)] : [])),
      source(jobs, ({ type, object }) =>
        type === "deleted" || isFinishedJob(object)
          ? pods
              .byIndex(byController, object.metadata.uid ?? "")
              .filter(isTracked)
              .map(keyOf)
          : [],
      ),
    ],
    async reconcile(key, { signal }) {
      const pod = pods.get(key);
      if (pod && isOrphaned(pod)) await releasePod(client, pod, signal);
      return undefined;
    },
  });
}
