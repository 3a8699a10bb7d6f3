import type { FieldError } from "../../../language/schema/field-error.ts";
import type { FieldFinding } from "../../finding.ts";
import type { Judged } from "./judged.ts";

/** One thing that can be wrong with a profile, named after it: `CpuPoolsOverlap`. */
export interface Check<Input = Judged> {
  readonly name: string;
  readonly severity: FieldFinding["severity"];
  readonly faults: (input: Input) => readonly FieldError[];
}

/** A warning about a value that may be intended. */
export function advice(field: string, message: string): FieldError {
  return { reason: "FieldValueInvalid", field, message };
}

/** A list of a hundred thousand items must not cause as many findings. */
const mostAlike = 20;

/** At most 20 findings of each check, and no message too long to read. */
export function bounded(found: readonly FieldFinding[]): readonly FieldFinding[] {
  const counts = new Map<string, number>();
  const kept = found.filter(({ name }) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count <= mostAlike;
  });
  return kept.map((finding, position) => {
    const message = shortened(finding.message);
    const more = (counts.get(finding.name) ?? 0) - mostAlike;
    const isLast = !kept.slice(position + 1).some(({ name }) => name === finding.name);
    return { ...finding, message: more > 0 && isLast ? `${message} (and ${more} more like this)` : message };
  });
}

const [longestStart, longestEnd] = [300, 600];

/** A message begins with the value, which may be a whole file, and ends with what is wrong with it. */
function shortened(message: string): string {
  if (message.length <= longestStart + longestEnd) return message;
  return `${message.slice(0, longestStart)}…${message.slice(-longestEnd)}`;
}
