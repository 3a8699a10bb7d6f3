import type { Job, JobStatus } from "kubernetes-types/batch/v1.js";
import { equal } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { type FieldError, duplicate, immutable, invalid, required } from "../../../../language/schema/field-error.ts";
import { atLeast } from "../bounds.ts";
import { commonIndex, countIndexes } from "./job-indexes.ts";
import type { JobSpec as Spec } from "./job-policies.ts";

const counts = ["active", "succeeded", "failed", "ready", "terminating"] as const;
type Status = JobStatus & { terminating?: number; failedIndexes?: string };

interface Change {
  readonly spec: Spec;
  readonly status: Status;
  readonly before: Status;
  /** Whether a condition holds now. */
  readonly has: (type: string) => boolean;
  readonly had: (type: string) => boolean;
  /** Most checks apply only to fields that the write changes, so that an old fault does not block an update. */
  readonly changed: (...fields: (keyof Status)[]) => boolean;
  readonly turned: (...types: string[]) => boolean;
}

/** As kube-apiserver, checks that the status is consistent, because external job controllers may write it. */
export function validateJobStatus(object: KubeObject, old: KubeObject): FieldError[] {
  const status: Status = (object as Job).status ?? {};
  const before: Status = (old as Job).status ?? {};
  const holds = (of: Status) => (type: string) =>
    (of.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
  const [has, had] = [holds(status), holds(before)];
  const change: Change = {
    spec: object.spec as Spec,
    status,
    before,
    has,
    had,
    changed: (...fields) => fields.some((field) => !equal(status[field], before[field])),
    turned: (...types) => types.some((type) => has(type) !== had(type)),
  };
  return [
    ...counts.flatMap((field) => atLeast(status[field], 0, `status.${field}`)),
    ...validateUncounted(status),
    ...validateConditions(change),
    ...validateTimes(change),
    ...validateCounters(change),
    ...validateIndexes(change),
  ];
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

/** Terminal conditions are final, and are preceded by FailureTarget or SuccessCriteriaMet. */
function validateConditions({ has, had, changed, turned }: Change): FieldError[] {
  const faults: string[] = [];
  if (turned("Complete", "Failed") && has("Complete") && has("Failed"))
    faults.push("cannot set Complete=True and Failed=true conditions");
  if (turned("Complete", "FailureTarget") && has("Complete") && has("FailureTarget"))
    faults.push("cannot set Complete=True and FailureTarget=true conditions");
  if ((turned("Failed") || changed("failedIndexes")) && has("Failed") && !has("FailureTarget"))
    faults.push("cannot set Failed=True condition without the FailureTarget=true condition");
  if (turned("Complete", "SuccessCriteriaMet") && has("Complete") && !has("SuccessCriteriaMet"))
    faults.push("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  if (has("SuccessCriteriaMet") && has("Failed"))
    faults.push("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (has("SuccessCriteriaMet") && has("FailureTarget"))
    faults.push("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  for (const type of ["Failed", "Complete", "FailureTarget"])
    if (had(type) && !has(type)) faults.push(`cannot disable the terminal ${type}=True condition`);
  if (had("SuccessCriteriaMet") && !has("SuccessCriteriaMet"))
    faults.push("cannot disable the SuccessCriteriaMet=True condition");
  if (had("Complete") && !had("SuccessCriteriaMet") && has("SuccessCriteriaMet"))
    faults.push("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  return faults.map((detail) => ({
    reason: "FieldValueInvalid",
    field: "status.conditions",
    message: `Invalid value: ${detail}`,
  }));
}

function validateTimes({ spec, status, before, has, had, changed, turned }: Change): FieldError[] {
  const errors: FieldError[] = [];
  const { startTime: start, completionTime: end } = status;
  const at = "status.completionTime";
  if (turned("Complete") || changed("completionTime")) {
    if (end && !has("Complete"))
      errors.push(invalid(at, end, "cannot set completionTime when there is no Complete=True condition"));
    if (!end && has("Complete")) errors.push(required(at, "completionTime is required for Complete jobs"));
  }
  if (changed("startTime", "completionTime") && start && end && Date.parse(end) < Date.parse(start))
    errors.push(invalid(at, end, "must be equal to or after `startTime`"));
  if (end && before.completionTime && end !== before.completionTime) errors.push(immutable(at, end));
  const isFinished = has("Complete") || has("Failed");
  const isEmpty = spec.suspend === true && spec.completions === 0;
  if ((isFinished !== (had("Complete") || had("Failed")) || changed("startTime")) && isFinished && !start && !isEmpty)
    errors.push(required("status.startTime", "startTime is required for finished job"));
  const isResumed =
    had("Suspended") &&
    (status.conditions ?? []).some((condition) => condition.type === "Suspended" && condition.status === "False");
  if (changed("startTime") && before.startTime && !spec.suspend && !isResumed)
    errors.push(required("status.startTime", "startTime cannot be removed for unsuspended job"));
  return errors;
}

function validateCounters({ spec, status, before, has, had, changed }: Change): FieldError[] {
  const errors: FieldError[] = [];
  const { active = 0, failed = 0, succeeded = 0, ready, terminating = 0, uncountedTerminatedPods: rest } = status;
  const isFinished = has("Complete") || has("Failed");
  const ends = isFinished !== (had("Complete") || had("Failed"));
  if ((ends || changed("active")) && isFinished && active > 0)
    errors.push(invalid("status.active", active, "active>0 is invalid for finished job"));
  if ((ends || changed("uncountedTerminatedPods")) && isFinished && rest)
    if ((rest.failed ?? []).length + (rest.succeeded ?? []).length > 0)
      errors.push(invalid("status.uncountedTerminatedPods", rest, "must be empty for finished job"));
  if ((ends || changed("terminating")) && isFinished && terminating > 0)
    errors.push(invalid("status.terminating", terminating, "terminating>0 is invalid for finished job"));
  if (changed("ready", "active") && ready !== undefined && ready > active)
    errors.push(invalid("status.ready", ready, "cannot set more ready pods than active"));
  if (failed < (before.failed ?? 0))
    errors.push(invalid("status.failed", failed, "cannot decrease the failed counter"));
  // An elastic indexed job may be scaled down.
  const shrinks = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  if (!shrinks && succeeded < (before.succeeded ?? 0))
    errors.push(invalid("status.succeeded", succeeded, "cannot decrease the succeeded counter"));
  return errors;
}

function validateIndexes({ spec, status, changed }: Change): FieldError[] {
  const { completedIndexes: done = "", failedIndexes: failed } = status;
  const { completions, backoffLimitPerIndex: limit } = spec;
  const errors: FieldError[] = [];
  const fault = (field: "completedIndexes" | "failedIndexes", text: string): void => {
    const why = completions === undefined ? 0 : countIndexes(text, completions);
    if (typeof why === "string") errors.push(invalid(`status.${field}`, text, `error parsing ${field}: ${why}`));
  };
  if (changed("completedIndexes")) {
    fault("completedIndexes", done);
    if (done !== "" && spec.completionMode !== "Indexed") {
      const why = "cannot set non-empty completedIndexes when non-indexed completion mode";
      errors.push(invalid("status.completedIndexes", done, why));
    }
  }
  if (failed === undefined) return errors;
  if (changed("failedIndexes")) {
    if (limit !== undefined) fault("failedIndexes", failed);
    else {
      const why = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
      errors.push(invalid("status.failedIndexes", failed, why));
    }
  }
  const common =
    completions !== undefined && changed("failedIndexes", "completedIndexes") ? commonIndex(done, failed) : undefined;
  if (common !== undefined) {
    const why = `failedIndexes and completedIndexes overlap at index: ${common}`;
    errors.push(invalid("status.failedIndexes", failed, why));
  }
  return errors;
}
