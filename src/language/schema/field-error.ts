import { writeJson } from "../object/exact-json.ts";
import { counted, type FieldError } from "./collect-errors.ts";

export type { FieldError, FieldErrorReason } from "./collect-errors.ts";

/** More than a user reads. A response repeats the value twice, with all fields that its kind has. */
const longestValue = 64 * 1024;

/** Go's %q-like rendering of a bad value: strings quoted, the rest as JSON. */
function shown(value: unknown): string {
  const text = value === undefined ? "null" : writeJson(value);
  return text.length > longestValue ? `${text.slice(0, longestValue)}… (${text.length} characters)` : text;
}

export const required = (field: string, detail = ""): FieldError =>
  counted({
    reason: "FieldValueRequired",
    field,
    message: detail ? `Required value: ${detail}` : "Required value",
  });

export const invalid = (field: string, value: unknown, detail: string): FieldError =>
  counted({
    reason: "FieldValueInvalid",
    field,
    message: `Invalid value: ${shown(value)}: ${detail}`,
  });

export const typeInvalid = (field: string, value: unknown, detail: string): FieldError =>
  counted({
    reason: "FieldValueTypeInvalid",
    field,
    message: `Invalid value: ${shown(value)}: ${detail}`,
  });

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError =>
  counted({
    reason: "FieldValueNotSupported",
    field,
    message: `Unsupported value: ${shown(value)}: supported values: ${supported.map(shown).join(", ")}`,
  });

export const duplicate = (field: string, value: unknown): FieldError =>
  counted({
    reason: "FieldValueDuplicate",
    field,
    message: `Duplicate value: ${shown(value)}`,
  });

export const forbidden = (field: string, detail: string): FieldError =>
  counted({
    reason: "FieldValueForbidden",
    field,
    message: `Forbidden: ${detail}`,
  });

export const tooLong = (field: string, maxBytes: number): FieldError =>
  counted({
    reason: "FieldValueTooLong",
    field,
    message: `Too long: may not be more than ${maxBytes} bytes`,
  });

export const tooMany = (field: string, actual: number, max: number): FieldError =>
  counted({
    reason: "FieldValueTooMany",
    field,
    message: `Too many: ${actual}: must have at most ${max} items`,
  });

export const notFound = (field: string, value: unknown): FieldError =>
  counted({
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
