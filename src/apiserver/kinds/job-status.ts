import type { Job, JobStatus } from "kubernetes-types/batch/v1.js";
import type { KubeObject } from "../../object/meta.ts";
import { type FieldError, duplicate, invalid, required } from "../../schema/field-error.ts";
import { atLeast } from "./bounds.ts";

const counts = ["active", "succeeded", "failed", "ready", "terminating"] as const;
type Status = JobStatus & { terminating?: number };

/** A job's state is built upon by others: it is checked for sense, not only for form. */
export function validateJobStatus(object: KubeObject, old: KubeObject): FieldError[] {
  const status: Status = (object as Job).status ?? {};
  const before: Status = (old as Job).status ?? {};
  const errors = counts.flatMap((field) => atLeast(status[field], 0, `status.${field}`));
  errors.push(...validateUncounted(status));
  const has = (type: string): boolean =>
    (status.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
  if ((status.failed ?? 0) < (before.failed ?? 0) || (status.failed ?? 0) < 0)
    errors.push(invalid("status.failed", status.failed ?? 0, "cannot decrease the failed counter"));
  if ((status.succeeded ?? 0) < (before.succeeded ?? 0) && (object as Job).spec?.completionMode !== "Indexed")
    errors.push(invalid("status.succeeded", status.succeeded ?? 0, "cannot decrease the succeeded counter"));
  if (has("Complete") && !status.completionTime)
    errors.push(required("status.completionTime", "completionTime is required for Complete jobs"));
  if (!has("Complete") && status.completionTime)
    errors.push(
      invalid("status.completionTime", status.completionTime, "completionTime cannot be set for non-complete jobs"),
    );
  errors.push(...validateConditions(has));
  if (has("Complete") || has("Failed")) {
    if (!status.startTime) errors.push(required("status.startTime", "startTime is required for finished job"));
    if ((status.active ?? 0) > 0)
      errors.push(invalid("status.active", status.active, "active>0 is invalid for finished job"));
  }
  if (status.startTime && status.completionTime && Date.parse(status.completionTime) < Date.parse(status.startTime))
    errors.push(invalid("status.completionTime", status.completionTime, "must be equal to or after `startTime`"));
  if (status.ready !== undefined && status.ready > (status.active ?? 0))
    errors.push(invalid("status.ready", status.ready, "cannot set more ready pods than active"));
  return errors;
}

function validateUncounted({ uncountedTerminatedPods }: Status): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const)
    for (const [index, uid] of (uncountedTerminatedPods?.[list] ?? []).entries()) {
      const field = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (uid === "") errors.push(invalid(field, uid, "must not be empty"));
      else if (seen.has(uid)) errors.push(duplicate(field, uid));
      seen.add(uid);
    }
  return errors;
}

function validateConditions(has: (type: string) => boolean): FieldError[] {
  const faults: string[] = [];
  if (has("Complete") && has("Failed")) faults.push("cannot set Complete=True and Failed=true conditions");
  if (has("Complete") && has("FailureTarget"))
    faults.push("cannot set Complete=True and FailureTarget=true conditions");
  if (has("Complete") && !has("SuccessCriteriaMet"))
    faults.push("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  if (has("Failed") && !has("FailureTarget"))
    faults.push("cannot set Failed=True condition without the FailureTarget=true condition");
  return faults.map((detail) => ({
    reason: "FieldValueInvalid",
    field: "status.conditions",
    message: `Invalid value: ${detail}`,
  }));
}
