import type { Container, PodSpec, PodStatus, Toleration } from "kubernetes-types/core/v1.js";
import { clone, equal } from "../../../../../language/object/json.ts";
import { lineDiff } from "../../../../../language/object/line-diff.ts";
import type { KubeObject } from "../../../../../language/object/meta.ts";
import { type FieldError, forbidden, immutable, invalid } from "../../../../../language/schema/field-error.ts";
import { goDump } from "./go-dump.ts";

const mayChange =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

/** Only a few fields of a pod spec are mutable. */
export function validatePodUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const spec = object.spec as PodSpec;
  const before = old.spec as PodSpec;
  if (equal(spec, before)) return [];
  const counted = (["containers", "initContainers"] as const)
    .filter((kind) => (spec[kind]?.length ?? 0) !== (before[kind]?.length ?? 0))
    .map((kind) => forbidden(`spec.${kind}`, "pod updates may not add or remove containers"));
  if (counted.length > 0) return counted;
  const errors = [...validateDeadline(spec.activeDeadlineSeconds, before.activeDeadlineSeconds)];
  errors.push(...validateTolerationsKept(spec.tolerations ?? [], before.tolerations ?? []));
  if (errors.length > 0) return errors;
  const fixed = withoutMutable(spec, before);
  return equal(fixed, before) ? [] : [forbidden("spec", `${mayChange}\n${lineDiff(dump(before), dump(fixed))}`)];
}

const dump = (spec: PodSpec): string => JSON.stringify(goDump(spec), undefined, 1);

/** The new spec with its mutable fields reset to the old values; any remaining difference is forbidden. */
function withoutMutable(spec: PodSpec, before: PodSpec): PodSpec {
  const copy = clone(spec);
  for (const kind of ["containers", "initContainers"] as const)
    copy[kind]?.forEach((container: Container, index) => {
      const image = before[kind]?.[index]?.image;
      if (image !== undefined) container.image = image;
    });
  restore(copy, before, "activeDeadlineSeconds");
  restore(copy, before, "tolerations");
  if ((before.terminationGracePeriodSeconds ?? 0) < 0 && copy.terminationGracePeriodSeconds === 1)
    restore(copy, before, "terminationGracePeriodSeconds");
  // Scheduling gates may be removed from a pod that still has some.
  if ((before.schedulingGates ?? []).length > 0) restore(copy, before, "schedulingGates");
  return copy;
}

function restore<K extends keyof PodSpec>(spec: PodSpec, before: PodSpec, field: K): void {
  if (before[field] === undefined) delete spec[field];
  else spec[field] = before[field];
}

function validateDeadline(now: number | undefined, before: number | undefined): FieldError[] {
  if (before === undefined) return [];
  const field = "spec.activeDeadlineSeconds";
  if (now === undefined) return [invalid(field, null, "must not update from a positive integer to nil value")];
  return now > before ? [invalid(field, now, "must be less than or equal to previous value")] : [];
}

function validateTolerationsKept(now: readonly Toleration[], before: readonly Toleration[]): FieldError[] {
  const identity = ({ key, operator, value, effect }: Toleration): string =>
    JSON.stringify([key, operator, value, effect]);
  const present = new Set(now.map(identity));
  return before.every((toleration) => present.has(identity(toleration)))
    ? []
    : [forbidden("spec.tolerations", "existing toleration can not be modified except its tolerationSeconds")];
}

/** The QoS class is set on create and immutable. */
export function validatePodStatus(object: KubeObject, old: KubeObject): FieldError[] {
  const { qosClass } = (object.status ?? {}) as PodStatus;
  const { qosClass: decided } = (old.status ?? {}) as PodStatus;
  return qosClass === decided ? [] : [immutable("status.qosClass", qosClass ?? "")];
}
