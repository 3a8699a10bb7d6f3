import type { LabelSelector } from "kubernetes-types/meta/v1.js";
import { labelValue, qualifiedName } from "../../../language/object/names.ts";
import { type FieldError, forbidden, invalid, required } from "../../../language/schema/field-error.ts";

export function validateLabels(labels: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const reason of qualifiedName(key)) errors.push(invalid(field, key, reason));
    for (const reason of labelValue(value)) errors.push(invalid(field, value, reason));
  }
  return errors;
}

/** `metav1.LabelSelector` in a spec. */
export function validateSelector(selector: LabelSelector | undefined | null, field: string): FieldError[] {
  if (!selector) return [];
  const errors = validateLabels(selector.matchLabels, `${field}.matchLabels`);
  for (const [index, { key, operator, values = [] }] of (selector.matchExpressions ?? []).entries()) {
    const at = `${field}.matchExpressions[${index}]`;
    if (operator === "In" || operator === "NotIn") {
      if (values.length === 0)
        errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (operator === "Exists" || operator === "DoesNotExist") {
      if (values.length > 0)
        errors.push(forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else errors.push(invalid(`${at}.operator`, operator, "not a valid selector operator"));
    for (const reason of qualifiedName(key)) errors.push(invalid(`${at}.key`, key, reason));
    for (const [i, value] of values.entries())
      for (const reason of labelValue(value)) errors.push(invalid(`${at}.values[${i}]`, value, reason));
  }
  return errors;
}
