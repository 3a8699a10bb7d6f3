import type { CronJob, CronJobSpec } from "kubernetes-types/batch/v1.js";
import { formatLabelSelector, fromLabelSelector } from "../../../../language/object/label-selector.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dnsLabel } from "../../../../language/object/names.ts";
import { type FieldError, invalid, notSupported } from "../../../../language/schema/field-error.ts";
import { atLeast } from "../bounds.ts";
import { ageColumn, integerColumn, nameColumn, since, stringColumn, typed } from "../columns.ts";
import { validateSchedule, validateTimeZone } from "./cron-schedule.ts";
import { defineKind } from "../define-kind.ts";
import { defaultFailurePolicy } from "./job-policies.ts";
import { validateJobSpec } from "./job-validation.ts";
import { defaultPodSpec } from "../core/pod/defaults.ts";
import { templateColumns } from "../apps/workload-columns.ts";

const specOf = (object: KubeObject): CronJobSpec => object.spec as CronJobSpec;
const policies = ["Allow", "Forbid", "Replace"];
/** A Job has the name of its CronJob and 11 characters for its minute, and may have 63 characters in all. */
const longestName = 52;

export const cronJob = defineKind({
  group: "batch",
  version: "v1",
  kind: "CronJob",
  plural: "cronjobs",
  shortNames: ["cj"],
  categories: ["all"],
  namespaced: true,
  columns: [
    nameColumn,
    stringColumn(
      "Schedule",
      typed<CronJob>(({ spec }) => spec?.schedule ?? ""),
    ),
    stringColumn(
      "Timezone",
      typed<CronJob>(({ spec }) => spec?.timeZone ?? "<none>"),
    ),
    {
      name: "Suspend",
      type: "boolean",
      priority: 0,
      cell: typed<CronJob>(({ spec }) => (spec?.suspend === undefined ? "<unset>" : spec.suspend ? "True" : "False")),
    },
    integerColumn(
      "Active",
      typed<CronJob>(({ status }) => status?.active?.length ?? 0),
    ),
    stringColumn(
      "Last Schedule",
      typed<CronJob>(({ status }, now) => (status?.lastScheduleTime ? since(status.lastScheduleTime, now) : "<none>")),
    ),
    ageColumn,
    // The pod template is within the job template.
    ...templateColumns.map((column) => ({
      ...column,
      cell: (object: KubeObject, now: number) => column.cell(specOf(object).jobTemplate as KubeObject, now),
    })),
    stringColumn(
      "Selector",
      typed<CronJob>(({ spec }) => {
        const selector = spec?.jobTemplate.spec?.selector;
        return selector ? formatLabelSelector(fromLabelSelector(selector)) : "<none>";
      }),
      1,
    ),
  ],
  strategy: {
    defaults,
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate,
    validateCreate: (object) => [
      ...validateSchedule(specOf(object), false),
      ...validateTimeZone(specOf(object).timeZone),
      ...validateLength(object.metadata.name ?? ""),
    ],
    validateUpdate: (object, old) => [
      ...validateSchedule(specOf(object), specOf(old).schedule.includes("TZ")),
      ...(specOf(object).timeZone === specOf(old).timeZone ? [] : validateTimeZone(specOf(object).timeZone)),
    ],
    warnings: ({ metadata: { name = "" } }) => {
      const faults = dnsLabel(name);
      return faults.length === 0
        ? []
        : [
            `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(" ")}]`,
          ];
    },
    hasGeneration: true,
    ignoredFields: ["status"],
  },
  subresources: { status: { type: "status" } },
});

function defaults(object: KubeObject): void {
  const spec = specOf(object);
  spec.concurrencyPolicy ||= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
  // Other defaults are set when a Job is created from the template.
  const job = spec.jobTemplate.spec;
  if (job?.template.spec) defaultPodSpec(job.template.spec);
  if (job) defaultFailurePolicy(job);
}

function validate(object: KubeObject): FieldError[] {
  const { startingDeadlineSeconds, concurrencyPolicy = "", jobTemplate, ...spec } = specOf(object);
  const errors = atLeast(startingDeadlineSeconds, 0, "spec.startingDeadlineSeconds");
  if (!policies.includes(concurrencyPolicy))
    errors.push(notSupported("spec.concurrencyPolicy", concurrencyPolicy, policies));
  const at = "spec.jobTemplate.spec";
  const job = jobTemplate.spec ?? { template: {} };
  for (const error of validateJobSpec(job)) errors.push({ ...error, field: `spec.jobTemplate.${error.field}` });
  if (job.selector) errors.push(invalid(`${at}.selector`, job.selector, "`selector` will be auto-generated"));
  if (job.manualSelector) errors.push(notSupported(`${at}.manualSelector`, true, ["nil", "false"]));
  for (const field of ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] as const)
    errors.push(...atLeast(spec[field], 0, `spec.${field}`));
  return errors;
}

function validateLength(name: string): FieldError[] {
  return name.length > longestName
    ? [invalid("metadata.name", name, `must be no more than ${longestName} characters`)]
    : [];
}
