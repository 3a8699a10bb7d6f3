import { qualifiedName } from "../../../../language/object/names.ts";
import { type FieldError, invalid, required, tooLong } from "../../../../language/schema/field-error.ts";

const mostParameters = 512;
const mostBytes = 256 * 1024;

/** The program that a class of storage is for. */
export function validateProvisioner(name: string, field: string): FieldError[] {
  if (name === "") return [required(field)];
  const lower = name.toLowerCase();
  return qualifiedName(lower).map((reason) => invalid(field, lower, reason));
}

/** What it is told. */
export function validateParameters(parameters: Readonly<Record<string, string>> = {}): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > mostParameters) return [tooLong("parameters", mostParameters)];
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...(Object.hasOwn(parameters, "") ? [invalid("parameters", "", "field can not be empty.")] : []),
    ...(bytes > mostBytes ? [tooLong("parameters", mostBytes)] : []),
  ];
}
