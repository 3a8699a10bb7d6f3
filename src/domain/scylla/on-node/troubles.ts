import { type Plan, referenceTo } from "../../../language/object/plan.ts";
import type { ScyllaNodeConfig } from "../api.ts";
import { failureAnnotation } from "../names.ts";
import type { ScyllaPod } from "../scylla-pod.ts";
import { isOfJob, type JobPod, progressOf, troubleOf, type TuningJob } from "./job-progress.ts";

export interface TroublesInput {
  readonly config: ScyllaNodeConfig;
  readonly jobs: readonly TuningJob[];
  readonly jobPods: readonly JobPod[];
  /** Databases that do not start because of them. */
  readonly waiting: readonly ScyllaPod[];
}

/**
 * Reports Jobs that failed, or that do not start: in an annotation of the Job, from which the operator makes the conditions of the
 * ScyllaNodeConfig, and as events, for as long as that is so.
 */
export function reportTroubles(plan: Plan, { config, jobs, jobPods, waiting }: TroublesInput): void {
  const pruned = new Set(plan.prunes.map(({ metadata }) => metadata.name));
  for (const job of jobs) {
    const { name = "", namespace, annotations = {}, deletionTimestamp } = job.metadata;
    if (deletionTimestamp || pruned.has(name)) continue;
    const before = annotations[failureAnnotation];
    const trouble = troubleIn(job, jobPods, before);
    const { apiVersion, kind } = job;
    const reported = trouble === undefined ? {} : { annotations: { [failureAnnotation]: trouble } };
    const object = { apiVersion, kind, metadata: { name, namespace, ...reported } };
    if (trouble !== before) plan.objects.push({ owns: "fields", object });
    if (trouble === undefined) continue;
    const message = `tuning Job ${namespace}/${name}: ${trouble}`;
    for (const regarding of [config, ...waiting].map(referenceTo))
      plan.events.push({ regarding, type: "Warning", reason: tuningFailed, message, writtenTo: referenceTo(object) });
  }
}

export const tuningFailed = "TuningFailed";

function troubleIn(job: TuningJob, pods: readonly JobPod[], before: string | undefined): string | undefined {
  const progress = progressOf(job);
  if (progress.type === "complete") return undefined;
  const said = troubleOf(pods.filter((pod) => isOfJob(pod, job)));
  // A pod of an unfinished Job that has failed is tried again. Pods that are gone have told what they had to tell.
  if (progress.type === "active") return said;
  if (said === undefined) return before ?? progress.why;
  return `${progress.why}: ${said}`;
}
