import type { FieldError } from "../../../language/schema/field-error.ts";
import type { FieldFinding } from "../../finding.ts";
import type { Judged } from "./judged.ts";

/** One thing that can be wrong with a profile, named as what is then found. */
export interface Check<Input = Judged> {
  readonly name: string;
  readonly severity: FieldFinding["severity"];
  readonly faults: (input: Input) => readonly FieldError[];
}

/** What a warning says of a value that may well stay as it is. */
export function advice(field: string, message: string): FieldError {
  return { reason: "FieldValueInvalid", field, message };
}
