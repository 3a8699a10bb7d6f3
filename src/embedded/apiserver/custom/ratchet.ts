import { equal, get } from "../../../language/object/json.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";

/**
 * The faults that an update introduces. A value that became invalid because its schema became stricter may stay: otherwise
 * no other field of the object could be updated (validation ratcheting).
 */
export function ratchet(errors: readonly FieldError[], value: unknown, old: unknown): FieldError[] {
  return errors.filter((error) => {
    const path = stepsOf(error.field);
    if (!path) return true;
    // A missing field has no value to compare: its parent is compared.
    if (error.reason === "FieldValueRequired") path.pop();
    const before = follow(old, path);
    return before === undefined || !equal(before, follow(value, path));
  });
}

type Step = string | number;

/** `spec.items[0].name` → spec, items, 0, name. Undefined if the path does not name one field. */
function stepsOf(field: string): Step[] | undefined {
  if (field === "" || field.startsWith("<")) return undefined;
  const steps: Step[] = [];
  for (const part of field.split(".")) {
    const [name = "", ...indexes] = part.split("[");
    if (name !== "") steps.push(name);
    for (const index of indexes) {
      const text = index.endsWith("]") ? index.slice(0, -1) : undefined;
      if (text === undefined) return undefined;
      steps.push(/^\d{1,9}$/.test(text) ? Number(text) : text);
    }
  }
  return steps;
}

function follow(root: unknown, path: readonly Step[]): unknown {
  let value = root;
  for (const step of path) value = Array.isArray(value) ? (value as unknown[])[Number(step)] : get(value, String(step));
  return value;
}
