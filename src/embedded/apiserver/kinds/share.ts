import { type FieldError, invalid } from "../../../language/schema/field-error.ts";
import { atLeast } from "./bounds.ts";

/** A number of pods, or a percentage of them. */
export function validateCountOrShare(value: number | string, field: string): FieldError[] {
  if (typeof value === "number") return atLeast(value, 0, field);
  if (/^[0-9]+%$/.test(value)) return [];
  return [
    invalid(
      field,
      value,
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ),
  ];
}

/** Not more than all of them. */
export function validateAtMostAll(value: number | string, field: string): FieldError[] {
  return typeof value === "string" && /^[0-9]+%$/.test(value) && Number.parseInt(value, 10) > 100
    ? [invalid(field, value, "must not be greater than 100%")]
    : [];
}

export function isNone(value: number | string): boolean {
  const count = Number.parseInt(String(value), 10);
  return count === 0 || Number.isNaN(count);
}
