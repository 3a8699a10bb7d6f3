import type { JobSpec as TypedSpec } from "kubernetes-types/batch/v1.js";
import { counted } from "../../../../language/schema/collect-errors.ts";
import { qualifiedName } from "../../../../language/object/names.ts";
import {
  type FieldError,
  duplicate,
  invalid,
  notSupported,
  required,
  tooMany,
} from "../../../../language/schema/field-error.ts";
import { countIndexes } from "./job-indexes.ts";

/** With fields that `kubernetes-types` does not have yet. */
export type JobSpec = TypedSpec & {
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  podReplacementPolicy?: string;
  managedBy?: string;
  successPolicy?: { rules?: { succeededIndexes?: string; succeededCount?: number }[] };
};

/** Limit for rules, and for conditions of a rule. */
const mostPatterns = 20;
const mostCodes = 255;
const actions = ["Count", "FailIndex", "FailJob", "Ignore"];

type Rule = NonNullable<JobSpec["podFailurePolicy"]>["rules"][number];

export function defaultFailurePolicy({ podFailurePolicy }: Pick<JobSpec, "podFailurePolicy">): void {
  for (const { onPodConditions } of podFailurePolicy?.rules ?? [])
    for (const condition of onPodConditions ?? []) condition.status ||= "True";
}

/** podFailurePolicy: how a failed pod affects its job. */
export function validateFailurePolicy(spec: JobSpec): FieldError[] {
  const names = [...(spec.template.spec?.initContainers ?? []), ...(spec.template.spec?.containers ?? [])].map(
    ({ name }) => name,
  );
  const rules = spec.podFailurePolicy?.rules ?? [];
  return [
    ...(rules.length > mostPatterns ? [tooMany("spec.podFailurePolicy.rules", rules.length, mostPatterns)] : []),
    ...rules.flatMap((rule, index) => validateRule(rule, `spec.podFailurePolicy.rules[${index}]`, spec, names)),
  ];
}

function validateRule(rule: Rule, at: string, spec: JobSpec, names: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  const { action, onExitCodes, onPodConditions } = rule;
  if (!action) errors.push(required(`${at}.action`, 'valid values: "Count" "FailIndex" "FailJob" "Ignore"'));
  else if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined)
    errors.push(invalid(`${at}.action`, action, "requires the backoffLimitPerIndex to be set"));
  else if (!actions.includes(action)) errors.push(notSupported(`${at}.action`, action, actions));
  if (onExitCodes) errors.push(...validateExitCodes(onExitCodes, `${at}.onExitCodes`, names));
  if ((onPodConditions ?? []).length > mostPatterns)
    errors.push(tooMany(`${at}.onPodConditions`, (onPodConditions ?? []).length, mostPatterns));
  for (const [index, { type, status }] of (onPodConditions ?? []).entries()) {
    for (const why of qualifiedName(type)) errors.push(invalid(`${at}.onPodConditions[${index}].type`, type, why));
    if (!["False", "True", "Unknown"].includes(status))
      errors.push(notSupported(`${at}.onPodConditions[${index}].status`, status, ["False", "True", "Unknown"]));
  }
  const conditions = (onPodConditions ?? []).length > 0;
  if (onExitCodes && conditions)
    errors.push(wrong(at, "specifying both OnExitCodes and OnPodConditions is not supported"));
  if (!onExitCodes && !conditions)
    errors.push(wrong(at, "specifying one of OnExitCodes and OnPodConditions is required"));
  return errors;
}

/** An error that does not repeat the value. */
const wrong = (field: string, detail: string): FieldError =>
  counted({
    reason: "FieldValueInvalid",
    field,
    message: `Invalid value: ${detail}`,
  });

function validateExitCodes(
  { operator, containerName, ...codes }: NonNullable<Rule["onExitCodes"]>,
  at: string,
  names: readonly string[],
): FieldError[] {
  const values = codes.values ?? [];
  const errors: FieldError[] = [];
  if (values.length > mostCodes) errors.push(tooMany(`${at}.values`, values.length, mostCodes));
  if (!["In", "NotIn"].includes(operator)) errors.push(notSupported(`${at}.operator`, operator, ["In", "NotIn"]));
  if (containerName !== undefined && !names.includes(containerName))
    errors.push(
      invalid(
        `${at}.containerName`,
        containerName,
        "must be one of the container or initContainer names in the pod template",
      ),
    );
  if (values.length === 0) errors.push(invalid(`${at}.values`, values, "at least one value is required"));
  const seen = new Set<number>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) errors.push(duplicate(`${at}.values[${index}]`, value));
    else if (operator === "In" && value === 0)
      errors.push(invalid(`${at}.values[${index}]`, value, "must not be 0 for the In operator"));
    seen.add(value);
  }
  if (values.some((value, index) => index > 0 && value < (values[index - 1] as number)))
    errors.push(invalid(`${at}.values`, values, "must be ordered"));
  return errors;
}

/** successPolicy: which indexes must succeed for the job to succeed. */
export function validateSuccessPolicy({ successPolicy, completionMode, completions = 0 }: JobSpec): FieldError[] {
  if (!successPolicy) return [];
  const rules = successPolicy.rules ?? [];
  const at = "spec.successPolicy";
  if (completionMode !== "Indexed") {
    const shown = rules.map(({ succeededIndexes = null, succeededCount = null }) => ({
      SucceededIndexes: succeededIndexes,
      SucceededCount: succeededCount,
    }));
    return [invalid(at, { Rules: shown }, "requires indexed completion mode")];
  }
  if (rules.length === 0)
    return [required(`${at}.rules`, "at least one rules must be specified when the successPolicy is specified")];
  return rules.flatMap(({ succeededIndexes, succeededCount }, index) => {
    const field = `${at}.rules[${index}]`;
    if (succeededIndexes === undefined && succeededCount === undefined)
      return [required(field, "at least one of succeededCount or succeededIndexes must be specified")];
    const errors: FieldError[] = [];
    const parsed = succeededIndexes === undefined ? undefined : countIndexes(succeededIndexes, completions);
    if (typeof parsed === "string")
      errors.push(invalid(`${field}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${parsed}`));
    if (succeededCount === undefined) return errors;
    const count = `${field}.succeededCount`;
    if (succeededCount < 0) errors.push(invalid(count, succeededCount, "must be greater than or equal to 0"));
    if (succeededCount > completions)
      errors.push(
        invalid(
          count,
          succeededCount,
          `must be less than or equal to ${completions} (the number of specified completions)`,
        ),
      );
    const listed = typeof parsed === "string" ? 0 : parsed;
    if (listed !== undefined && succeededCount > listed)
      errors.push(
        invalid(
          count,
          succeededCount,
          `must be less than or equal to ${listed} (the number of indexes in the specified succeededIndexes field)`,
        ),
      );
    return errors;
  });
}
