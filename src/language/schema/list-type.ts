import { canonical, isObject } from "../object/json.ts";
import { checkDepth } from "./depth.ts";
import { duplicate, type FieldError } from "./field-error.ts";
import { child, index, key } from "./path.ts";
import type { Schema } from "./schema.ts";

/** Items that a list of type `set` holds twice, or that share their keys in a list of type `map`. */
export function validateListTypes(value: unknown, schema: Schema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (part: unknown, partSchema: Schema, place: string, depth: number): void => {
    checkDepth(depth);
    if (Array.isArray(part)) {
      const { items } = partSchema;
      if (!items) return;
      const type = partSchema["x-kubernetes-list-type"];
      if (type === "set") findDuplicates(part, place, errors);
      else if (type === "map")
        findDuplicates(
          part.map((item) => keysOf(item, partSchema["x-kubernetes-list-map-keys"] ?? [])),
          place,
          errors,
        );
      if (items.type === "object" || items.type === "array" || items.type === undefined)
        for (let i = 0; i < part.length; i++) visit(part[i], items, index(place, i), depth + 1);
      return;
    }
    if (!isObject(part)) return;
    const { properties, additionalProperties } = partSchema;
    for (const name of Object.keys(part)) {
      if (properties && Object.hasOwn(properties, name))
        visit(part[name], properties[name]!, child(place, name), depth + 1);
      else if (isObject(additionalProperties)) visit(part[name], additionalProperties, key(place, name), depth + 1);
    }
  };
  visit(value, schema, path, 0);
  return errors;
}

/** Only the second occurrence of a value is reported, not the third. */
function findDuplicates(values: readonly unknown[], path: string, errors: FieldError[]): void {
  const seen = new Map<string, number>();
  for (const [i, value] of values.entries()) {
    const text = canonical(value);
    const times = seen.get(text) ?? 0;
    seen.set(text, times + 1);
    if (times === 1) errors.push(duplicate(index(path, i), sorted(value)));
  }
}

/** The keys of an item, by which a list of type `map` identifies it. */
export function keysOf(item: unknown, keys: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  if (isObject(item)) for (const name of keys) if (Object.hasOwn(item, name)) found[name] = item[name];
  return found;
}

function sorted(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
