import type { Toleration } from "kubernetes-types/core/v1.js";
import { labelValue, qualifiedName } from "../../../language/object/names.ts";
import { type FieldError, invalid, notSupported } from "../../../language/schema/field-error.ts";

export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function validateTolerations(tolerations: readonly Toleration[] | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, toleration] of (tolerations ?? []).entries())
    errors.push(...validateToleration(toleration, `${field}[${index}]`));
  return errors;
}

function validateToleration(toleration: Toleration, at: string): FieldError[] {
  const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
  const errors: FieldError[] = [];
  if (key !== "") for (const reason of qualifiedName(key)) errors.push(invalid(`${at}.key`, key, reason));
  else if (operator !== "Exists")
    errors.push(
      invalid(
        `${at}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  if (tolerationSeconds !== undefined && effect !== "NoExecute")
    errors.push(invalid(`${at}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  if (operator === "Equal" || operator === "") {
    for (const reason of labelValue(value)) errors.push(invalid(`${at}.operator`, value, reason));
  } else if (operator === "Exists") {
    if (value !== "") errors.push(invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"));
  } else errors.push(notSupported(`${at}.operator`, operator, ["Equal", "Exists"]));
  if (effect !== "" && !taintEffects.includes(effect)) errors.push(notSupported(`${at}.effect`, effect, taintEffects));
  return errors;
}
