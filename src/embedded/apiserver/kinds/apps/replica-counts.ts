import { type FieldError, invalid } from "../../../../language/schema/field-error.ts";
import { atLeast } from "../bounds.ts";

/** What a workload reports: no count is negative, and none but the total exceeds the total. */
export function validateReplicaCounts(
  status: object | undefined,
  counts: readonly string[],
  parts: readonly string[],
  ready: "readyReplicas" | "status.readyReplicas" = "readyReplicas",
): FieldError[] {
  const values = (status ?? {}) as Readonly<Record<string, number | undefined>>;
  const errors = counts.flatMap((field) => atLeast(values[field], 0, `status.${field}`));
  const total = values.replicas ?? 0;
  for (const field of parts) {
    const value = values[field] ?? 0;
    if (value > total) errors.push(invalid(`status.${field}`, value, "cannot be greater than status.replicas"));
  }
  const available = values.availableReplicas ?? 0;
  if (available > (values.readyReplicas ?? 0))
    errors.push(invalid("status.availableReplicas", available, `cannot be greater than ${ready}`));
  return errors;
}
