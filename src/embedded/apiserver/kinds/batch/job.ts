import type { Job, JobSpec } from "kubernetes-types/batch/v1.js";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { humanDuration } from "../../../../language/object/time.ts";
import { maxInt32 } from "../bounds.ts";
import { ageColumn, nameColumn, stringColumn, typed } from "../columns.ts";
import { defineKind } from "../define-kind.ts";
import { defaultFailurePolicy } from "./job-policies.ts";
import { validateJobStatus } from "./job-status.ts";
import { validateJob, validateJobUpdate } from "./job-validation.ts";
import { defaultPodSpec } from "../core/pod/defaults.ts";
import { selectorColumn, templateColumns } from "../apps/workload-columns.ts";

const specOf = (object: KubeObject): JobSpec => object.spec as JobSpec;

export const job = defineKind({
  group: "batch",
  version: "v1",
  kind: "Job",
  plural: "jobs",
  categories: ["all"],
  namespaced: true,
  selectableFields: { "status.successful": (object) => String((object as Job).status?.succeeded ?? 0) },
  columns: [
    nameColumn,
    stringColumn("Status", typed<Job>(stateOf)),
    stringColumn("Completions", typed<Job>(completions)),
    stringColumn("Duration", typed<Job>(duration)),
    ageColumn,
    ...templateColumns,
    selectorColumn("<none>"),
  ],
  strategy: {
    defaults,
    prepareForCreate: (object) => {
      object.status = {};
      if (!specOf(object).manualSelector) generateSelector(object);
      // The labels default to those of the template.
      object.metadata.labels ??= { ...specOf(object).template.metadata?.labels };
    },
    validate: validateJob,
    validateUpdate: validateJobUpdate,
    hasGeneration: true,
    ignoredFields: ["status"],
    orphans: {
      warning:
        "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    },
  },
  subresources: { status: { type: "status", validateUpdate: validateJobStatus } },
});

function defaults(object: KubeObject): void {
  const spec = specOf(object);
  if (spec.template.spec) defaultPodSpec(spec.template.spec);
  // Without both, the job runs one pod. With parallelism alone, completions stays unset: a work queue.
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= (spec as Indexed).backoffLimitPerIndex === undefined ? 6 : maxInt32;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  const policy = spec.podFailurePolicy;
  (spec as { podReplacementPolicy?: string }).podReplacementPolicy ??= policy ? "Failed" : "TerminatingOrFailed";
  defaultFailurePolicy(spec);
  const labels = spec.template.metadata?.labels;
  if (labels && Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata.labels = { ...labels };
}

interface Indexed {
  readonly backoffLimitPerIndex?: number;
}

/** The selector is the uid of the job, so that two jobs cannot select the same pod. */
function generateSelector(object: KubeObject): void {
  const { metadata } = object;
  const spec = specOf(object);
  const template = (spec.template.metadata ??= {});
  const inherited = sameLabels(metadata.labels, template.labels);
  template.labels = {
    ...template.labels,
    "batch.kubernetes.io/controller-uid": metadata.uid ?? "",
    ...(metadata.name ? { "batch.kubernetes.io/job-name": metadata.name } : {}),
    "controller-uid": metadata.uid ?? "",
    ...(metadata.name ? { "job-name": metadata.name } : {}),
  };
  if (inherited) metadata.labels = { ...template.labels };
  const selector = (spec.selector ??= {});
  selector.matchLabels = { ...selector.matchLabels, "batch.kubernetes.io/controller-uid": metadata.uid ?? "" };
}

const sameLabels = (own: Readonly<Record<string, string>> = {}, pods: Readonly<Record<string, string>> = {}): boolean =>
  JSON.stringify(own) === JSON.stringify(pods);

function stateOf({ status, metadata }: Job): string {
  const has = (type: string): boolean =>
    (status?.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
  if (has("Complete")) return "Complete";
  if (has("Failed")) return "Failed";
  if (metadata?.deletionTimestamp) return "Terminating";
  if (has("Suspended")) return "Suspended";
  if (has("FailureTarget")) return "FailureTarget";
  if (has("SuccessCriteriaMet")) return "SuccessCriteriaMet";
  return "Running";
}

function completions({ spec, status }: Job): string {
  const done = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${done}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
}

function duration({ status }: Job, now: number): string {
  if (!status?.startTime) return "";
  const end = status.completionTime ?? finishedAt(status.conditions);
  return humanDuration((end ? Date.parse(end) : now) - Date.parse(status.startTime));
}

function finishedAt(conditions: NonNullable<Job["status"]>["conditions"]): string | undefined {
  return conditions?.find(({ type, status }) => type === "Failed" && status === "True")?.lastTransitionTime;
}
