import { canonical, isObject } from "../object/json.ts";
import { checkDepth } from "./depth.ts";
import { duplicate, type FieldError } from "./field-error.ts";
import { child, index, key } from "./path.ts";
import type { Schema } from "./schema.ts";

/** Items that occur twice in a list that is a set, or in a map list under the same keys. */
export function validateListTypes(value: unknown, schema: Schema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  visit(value, schema, path, errors, 0);
  return errors;
}

function visit(value: unknown, schema: Schema, path: string, errors: FieldError[], depth: number): void {
  checkDepth(depth);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) return;
    const type = schema["x-kubernetes-list-type"];
    if (type === "set") findDuplicates(value, path, errors);
    else if (type === "map")
      findDuplicates(
        value.map((item) => keysOf(item, schema["x-kubernetes-list-map-keys"] ?? [])),
        path,
        errors,
      );
    if (items.type === "object" || items.type === "array" || items.type === undefined)
      for (let i = 0; i < value.length; i++) visit(value[i], items, index(path, i), errors, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  const { properties, additionalProperties } = schema;
  for (const name of Object.keys(value)) {
    if (properties && Object.hasOwn(properties, name))
      visit(value[name], properties[name]!, child(path, name), errors, depth + 1);
    else if (isObject(additionalProperties))
      visit(value[name], additionalProperties, key(path, name), errors, depth + 1);
  }
}

/** Only the second of a kind is reported: the third would say the same. */
function findDuplicates(values: readonly unknown[], path: string, errors: FieldError[]): void {
  const seen = new Map<string, number>();
  for (const [i, value] of values.entries()) {
    const text = canonical(value);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    if (times === 1) errors.push(duplicate(index(path, i), sorted(value)));
  }
}

/** The part of an item that names it. */
export function keysOf(item: unknown, keys: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  if (isObject(item)) for (const name of keys) if (Object.hasOwn(item, name)) found[name] = item[name];
  return found;
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
