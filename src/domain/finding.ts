import type { FieldError } from "../../language/schema/field-error.ts";

/** Something that is wrong with a profile, or that its author would want to know. */
export interface Finding extends FieldError {
  /** An `error` keeps the profile out of the cluster; a `warning` is told and no more. */
  readonly severity: "error" | "warning";
  /** What was found, in one word: `CpuPoolsOverlap`. */
  readonly name: string;
}

export function error(name: string, fault: FieldError): Finding {
  return { severity: "error", name, ...fault };
}

export function warning(name: string, fault: FieldError): Finding {
  return { severity: "warning", name, ...fault };
}

/** `spec.cpu.reserved: Required value` */
export function formatFinding({ field, message }: Finding): string {
  return `${field}: ${message}`;
}
