import type { CrossVersionObjectReference } from "kubernetes-types/autoscaling/v2.js";
import { pathSegment } from "../../../../language/object/names.ts";
import { type FieldError, invalid, required } from "../../../../language/schema/field-error.ts";

export function validateReference(
  { kind, name, apiVersion = "" }: CrossVersionObjectReference,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [field, value] of Object.entries({ kind, name }))
    if (value === "") errors.push(required(`${at}.${field}`));
    else for (const why of pathSegment(value)) errors.push(invalid(`${at}.${field}`, value, why));
  if (apiVersion.split("/").length > 2)
    errors.push(invalid(`${at}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  return errors;
}
