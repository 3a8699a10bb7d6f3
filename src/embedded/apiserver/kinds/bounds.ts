import { type FieldError, invalid } from "../../../language/schema/field-error.ts";

/** An absent number is valid. */
export function atLeast(value: number | undefined, minimum: number, field: string): FieldError[] {
  if (value === undefined || value >= minimum) return [];
  return [
    invalid(field, value, minimum === 0 ? "must be greater than or equal to 0" : `must be greater than ${minimum - 1}`),
  ];
}

export function between(value: number | undefined, low: number, high: number, field: string): FieldError[] {
  if (value === undefined || (value >= low && value <= high)) return [];
  return [invalid(field, value, `must be between ${low} and ${high}, inclusive`)];
}

export const maxInt32 = 2 ** 31 - 1;

export const validPort = (port: number | undefined, field: string): FieldError[] => between(port, 1, 65535, field);

/** A number or a percentage. */
export function validateIntOrPercent(value: number | string, field: string): FieldError[] {
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

export function validateAtMost100Percent(value: number | string, field: string): FieldError[] {
  return typeof value === "string" && /^[0-9]+%$/.test(value) && Number.parseInt(value, 10) > 100
    ? [invalid(field, value, "must not be greater than 100%")]
    : [];
}

/** Whether a number or percentage is zero. */
export function isZero(value: number | string): boolean {
  const count = Number.parseInt(String(value), 10);
  return count === 0 || Number.isNaN(count);
}
