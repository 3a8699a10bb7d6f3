import type { Job, JobSpec } from "kubernetes-types/batch/v1.js";
import { clone, equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../../language/object/names.ts";
import {
  type FieldError,
  immutable,
  invalid,
  notSupported,
  required,
} from "../../../../language/schema/field-error.ts";
import { atLeast } from "../bounds.ts";
import { validateFailurePolicy, validateSuccessPolicy, type JobSpec as Spec } from "./job-policies.ts";
import { goDump } from "../core/pod/go-dump.ts";
import { validatePodTemplate, validateWorkloadSelector } from "../core/pod-template.ts";

const specOf = (object: KubeObject): Spec => object.spec as Spec;
const mostIndexed = 100_000;

export function validateJob(object: KubeObject): FieldError[] {
  const spec = specOf(object);
  return [
    ...validateGenerated(object),
    ...validateJobSpec(spec),
    ...validateWorkloadSelector(spec.selector, spec.template, "job"),
  ];
}

/** The spec without its selector, which is generated when a Job is created. */
export function validateJobSpec(spec: Spec): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of [
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
  ] as const)
    errors.push(...atLeast(spec[field], 0, `spec.${field}`));
  errors.push(...validateManager(spec.managedBy));
  errors.push(...validateIndexes(spec));
  errors.push(...validateFailurePolicy(spec));
  errors.push(...validateSuccessPolicy(spec));
  // A podFailurePolicy evaluates only pods that have failed, so they cannot be replaced earlier.
  const replacements = spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  if (spec.podReplacementPolicy !== undefined && !replacements.includes(spec.podReplacementPolicy))
    errors.push(notSupported("spec.podReplacementPolicy", spec.podReplacementPolicy, replacements));
  errors.push(...validatePodTemplate(spec.template, "spec.template"));
  const restart = spec.template.spec?.restartPolicy;
  if (restart === "Always" || restart === undefined)
    errors.push(required("spec.template.spec.restartPolicy", 'valid values: "OnFailure", "Never"'));
  else if (spec.podFailurePolicy && restart !== "Never")
    errors.push(
      invalid(
        "spec.template.spec.restartPolicy",
        restart,
        'only "Never" is supported when podFailurePolicy is specified',
      ),
    );
  return errors;
}

function validateManager(manager: string | undefined): FieldError[] {
  if (manager === undefined) return [];
  const [domain = "", ...path] = manager.split("/");
  if (path.length === 0 || path.join("/") === "" || domain === "")
    return [invalid("spec.managedBy", manager, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return dnsSubdomain(domain).map((reason) => invalid("spec.managedBy", domain, reason));
}

function validateIndexes(spec: Spec): FieldError[] {
  const { completionMode = "NonIndexed", completions, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes } = spec;
  if (completionMode !== "NonIndexed" && completionMode !== "Indexed")
    return [notSupported("spec.completionMode", completionMode, ["NonIndexed", "Indexed"])];
  const errors: FieldError[] = [];
  if (completionMode === "Indexed") {
    if (completions === undefined) errors.push(required("spec.completions", "when completion mode is Indexed"));
    if (parallelism > mostIndexed)
      errors.push(
        invalid(
          "spec.parallelism",
          parallelism,
          `must be less than or equal to ${mostIndexed} when completion mode is Indexed`,
        ),
      );
    if (maxFailedIndexes !== undefined && maxFailedIndexes > (completions ?? 0))
      errors.push(invalid("spec.maxFailedIndexes", maxFailedIndexes, "must be less than or equal to completions"));
  } else {
    if (backoffLimitPerIndex !== undefined)
      errors.push(invalid("spec.backoffLimitPerIndex", backoffLimitPerIndex, "requires indexed completion mode"));
    if (maxFailedIndexes !== undefined)
      errors.push(invalid("spec.maxFailedIndexes", maxFailedIndexes, "requires indexed completion mode"));
  }
  if (maxFailedIndexes !== undefined && backoffLimitPerIndex === undefined)
    errors.push(required("spec.backoffLimitPerIndex", "when maxFailedIndexes is specified"));
  return errors;
}

/** Without manualSelector, the selector must be the generated one. */
function validateGenerated(object: KubeObject): FieldError[] {
  const { manualSelector, selector, template } = specOf(object);
  if (manualSelector || !selector) return [];
  const { uid = "" } = object.metadata;
  const errors: FieldError[] = [];
  const wanted = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
  const old = { matchLabels: { "controller-uid": uid } };
  if (!equal(selector, wanted) && !equal(selector, old))
    errors.push(invalid("spec.selector", selector, "`selector` not auto-generated"));
  const { name = "" } = object.metadata;
  const labels = template.metadata?.labels ?? {};
  for (const [key, value] of [
    ["batch.kubernetes.io/controller-uid", uid],
    ["batch.kubernetes.io/job-name", name],
  ] as const)
    if (labels[key] !== value)
      errors.push(invalid(`spec.template.metadata.labels[${key}]`, labels[key] ?? "", `must be '${value}'`));
  return errors;
}

export function validateJobUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const spec = specOf(object);
  const before = specOf(old);
  const errors: FieldError[] = [];
  if (spec.completions !== before.completions && !isElastic(spec, before))
    errors.push(immutable("spec.completions", spec.completions ?? null));
  if (!equal(spec.selector, before.selector)) errors.push(immutable("spec.selector", spec.selector));
  if (!equal(templateToCompare(object, old), before.template))
    errors.push(
      immutable("spec.template", { ...spec.template.metadata, Spec: goDump(spec.template.spec ?? { containers: [] }) }),
    );
  for (const field of [
    "completionMode",
    "podFailurePolicy",
    "backoffLimitPerIndex",
    "managedBy",
    "successPolicy",
  ] as const)
    if (!equal(spec[field], before[field])) errors.push(immutable(`spec.${field}`, spec[field] ?? null));
  return errors;
}

/** An indexed job can be scaled by changing completions and parallelism together. */
function isElastic(spec: Spec, before: Spec): boolean {
  return (
    spec.completionMode === "Indexed" &&
    spec.completions !== undefined &&
    before.completions !== undefined &&
    spec.completions === spec.parallelism
  );
}

/** The new template with the fields reset that are mutable until a suspended job starts. */
function templateToCompare(object: KubeObject, old: KubeObject): JobSpec["template"] {
  const { template: now } = specOf(object);
  const before = specOf(old);
  if (!before.suspend || (old as Job).status?.startTime || !now.spec || !before.template.spec) return now;
  const reset = clone(now);
  const pods = reset.spec as unknown as Record<string, unknown>;
  const pinned = before.template.spec as unknown as Record<string, unknown>;
  for (const field of ["nodeSelector", "affinity", "tolerations", "schedulingGates"])
    if (pinned[field] === undefined) delete pods[field];
    else pods[field] = pinned[field];
  const { labels: _, annotations: __, ...rest } = reset.metadata ?? {};
  const { labels, annotations } = before.template.metadata ?? {};
  reset.metadata = { ...rest, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
  return reset;
}
