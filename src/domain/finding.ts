import type { FieldError } from "../language/schema/field-error.ts";

/** Something that is wrong with what a user wrote, or that its author should know. */
export interface Finding {
  /** `error`: it cannot be used. `warning`: it can be used, and may not do what the author expects. */
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
}

/** About an object or a TuneD profile: `Tuned realtime`, `profile realtime`. */
export interface ObjectFinding extends Finding {
  readonly about: string;
}

/** About one field of an object. */
export interface FieldFinding extends Finding, Omit<FieldError, "message"> {
  readonly severity: "error" | "warning";
  /** The check that found it: `CpuPoolsOverlap`. */
  readonly name: string;
}

export function error(name: string, fault: FieldError): FieldFinding {
  return { severity: "error", name, ...fault };
}

export function warning(name: string, fault: FieldError): FieldFinding {
  return { severity: "warning", name, ...fault };
}

/** `spec.cpu.reserved: Required value` */
export function formatFinding({ field, message }: Pick<FieldFinding, "field" | "message">): string {
  return `${field}: ${message}`;
}

const severities: readonly Finding["severity"][] = ["error", "warning", "note"];

export function mostSevereFirst(a: Finding, b: Finding): number {
  return severities.indexOf(a.severity) - severities.indexOf(b.severity);
}
