import { type FieldError, invalid } from "../../../language/schema/field-error.ts";

/** An absent number is within every bound. */
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
