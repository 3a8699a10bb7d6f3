import { clone, isObject, set } from "../object/json.ts";
import { checkDepth } from "./depth.ts";
import type { Schema } from "./schema.ts";

/**
 * Fills in what the schema has defaults for, in place. A null where null is not allowed counts as absent: it is replaced
 * by the default, or dropped where there is none. Items of lists keep their nulls, which validation then refuses.
 */
export function applyDefaults(value: unknown, schema: Schema, depth = 0): void {
  checkDepth(depth);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items || !touches(items)) return;
    for (let i = 0; i < value.length; i++) {
      if (value[i] === null && !items.nullable && items.default !== undefined) value[i] = clone(items.default);
      applyDefaults(value[i], items, depth + 1);
    }
    return;
  }
  if (!isObject(value)) return;
  const { properties, additionalProperties } = schema;
  if (properties)
    for (const name of Object.keys(properties)) {
      const property = properties[name]!;
      const present = Object.hasOwn(value, name);
      const absent = !present || (value[name] === null && !property.nullable);
      if (absent && property.default !== undefined) set(value, name, clone(property.default));
      else if (absent) {
        if (present) delete value[name];
        continue;
      }
      applyDefaults(value[name], property, depth + 1);
    }
  if (isObject(additionalProperties))
    for (const name of Object.keys(value)) {
      if (properties && Object.hasOwn(properties, name)) continue;
      if (value[name] === null && !(additionalProperties as Schema).nullable) {
        if ((additionalProperties as Schema).default === undefined) {
          delete value[name];
          continue;
        }
        set(value, name, clone((additionalProperties as Schema).default));
      }
      applyDefaults(value[name], additionalProperties, depth + 1);
    }
}

/** Nothing inside a scalar item can have a default; long lists of strings are not worth a walk. */
function touches(items: Schema): boolean {
  return (
    items.default !== undefined ||
    items.properties !== undefined ||
    items.items !== undefined ||
    typeof items.additionalProperties === "object"
  );
}
