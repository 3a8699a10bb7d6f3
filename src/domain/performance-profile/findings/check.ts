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

/** Enough to see what is wrong. A list of a hundred thousand items must not be answered with as many sentences. */
const mostAlike = 20;

/** No more of a kind than somebody would read, and none longer. */
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

/** A message repeats the value, which may be a whole file, and then says what is wrong with it. */
function shortened(message: string): string {
  if (message.length <= longestStart + longestEnd) return message;
  return `${message.slice(0, longestStart)}…${message.slice(-longestEnd)}`;
}
