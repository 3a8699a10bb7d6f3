import { canonical, equal, get, isObject } from "../../../language/object/json.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";
import { keysOf } from "../../../language/schema/list-type.ts";
import type { Schema } from "../../../language/schema/schema.ts";

/**
 * The faults that an update introduces. A value that became invalid because its schema became stricter may stay: otherwise
 * no other field of the object could be updated (validation ratcheting).
 */
export function ratchet(errors: readonly FieldError[], value: unknown, old: unknown, schema: Schema): FieldError[] {
  return errors.filter((error) => {
    const path = stepsOf(error.field);
    if (!path) return true;
    // A missing field has no value to compare: its parent is compared.
    if (error.reason === "FieldValueRequired") path.pop();
    return !isUnchanged(path, { value, old, schema });
  });
}

type Step = string | number;

/** A value, the old one that it replaces, and their schema. */
interface Pair {
  readonly value: unknown;
  readonly old: unknown;
  readonly schema: Schema;
}

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

/** Whether the value at the end of the path, or one on the way, is as it was. */
function isUnchanged(path: readonly Step[], root: Pair): boolean {
  let pair: Pair | undefined = root;
  for (const step of path) {
    pair = pair && childAt(pair, step);
    if (pair && equal(pair.value, pair.old)) return true;
  }
  return false;
}

/** Undefined where old and new cannot be matched: items of a list are matched by their keys, and not by their position. */
function childAt({ value, old, schema }: Pair, step: Step): Pair | undefined {
  if (Array.isArray(value)) {
    const item: unknown = value[Number(step)];
    const before = Array.isArray(old) ? sameItem(item, old, schema) : undefined;
    return before === undefined ? undefined : { value: item, old: before, schema: schema.items ?? {} };
  }
  const [now, before] = [get(value, String(step)), get(old, String(step))];
  if (now === undefined || before === undefined) return undefined;
  const { properties, additionalProperties } = schema;
  const known = properties && Object.hasOwn(properties, step) ? properties[step] : undefined;
  return { value: now, old: before, schema: known ?? (isObject(additionalProperties) ? additionalProperties : {}) };
}

function sameItem(item: unknown, old: readonly unknown[], schema: Schema): unknown {
  const keys = schema["x-kubernetes-list-type"] === "map" ? schema["x-kubernetes-list-map-keys"] : undefined;
  if (!keys) return undefined;
  const wanted = canonical(keysOf(item, keys));
  return old.find((one) => canonical(keysOf(one, keys)) === wanted);
}
