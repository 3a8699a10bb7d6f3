import { writeJson } from "../object/exact-json.ts";

/** One fault in an object, worded as kubectl shows it: `spec.level: Invalid value: -1: should be at least 0`. */
export interface FieldError {
  reason: FieldErrorReason;
  /** `spec.containers[0].name`, `metadata.labels`, `data[key]`. */
  field: string;
  /** The part after the path: `Invalid value: -1: should be at least 0`. */
  message: string;
}

export type FieldErrorReason =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueTypeInvalid"
  | "InternalError";

/** Go's %q-like rendering of a bad value: strings quoted, the rest as JSON. */
function shown(value: unknown): string {
  return value === undefined ? "null" : writeJson(value);
}

export const required = (field: string, detail = ""): FieldError => ({
  reason: "FieldValueRequired",
  field,
  message: detail ? `Required value: ${detail}` : "Required value",
});

export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${shown(value)}: ${detail}`,
});

export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueTypeInvalid",
  field,
  message: `Invalid value: ${shown(value)}: ${detail}`,
});

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  message: `Unsupported value: ${shown(value)}: supported values: ${supported.map(shown).join(", ")}`,
});

export const duplicate = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueDuplicate",
  field,
  message: `Duplicate value: ${shown(value)}`,
});

export const forbidden = (field: string, detail: string): FieldError => ({
  reason: "FieldValueForbidden",
  field,
  message: `Forbidden: ${detail}`,
});

export const tooLong = (field: string, maxBytes: number): FieldError => ({
  reason: "FieldValueTooLong",
  field,
  message: `Too long: may not be more than ${maxBytes} bytes`,
});

export const tooMany = (field: string, actual: number, max: number): FieldError => ({
  reason: "FieldValueTooMany",
  field,
  message: `Too many: ${actual}: must have at most ${max} items`,
});

export const notFound = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueNotFound",
  field,
  message: `Not found: ${shown(value)}`,
});

export const immutable = (field: string, value: unknown): FieldError => invalid(field, value, "field is immutable");

/** A number as Go's `%v` prints it: an exponent of two digits, from 1e21 up and below 1e-4. */
export function goNumber(value: number): string {
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e21)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, "e$10$2");
}
