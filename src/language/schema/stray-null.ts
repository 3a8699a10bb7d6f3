import { isObject } from "../object/json.ts";
import { checkDepth } from "./depth.ts";
import { type FieldError, typeInvalid } from "./field-error.ts";
import { child, index } from "./path.ts";
import type { Schema } from "./schema.ts";

/**
 * Nulls where the schema wants something else and has no default to put there. Most requests may hold them, and mean
 * nothing by them; an applied configuration may not, because it says which fields its manager owns.
 */
export function strayNulls(value: unknown, schema: Schema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  visit(value, schema, path, errors, 0);
  return errors;
}

function visit(value: unknown, schema: Schema, path: string, errors: FieldError[], depth: number): void {
  checkDepth(depth);
  if (value === null) {
    const type = schema["x-kubernetes-int-or-string"] ? "integer,string" : schema.type;
    if (type !== undefined && !schema.nullable && schema.default === undefined)
      errors.push(typeInvalid(path, "null", `${path} in body must be of type ${type}: "null"`));
    return;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const [i, item] of value.entries()) visit(item, items, index(path, i), errors, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  const { properties, additionalProperties } = schema;
  for (const name of Object.keys(value)) {
    const known = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (isObject(known)) visit(value[name], known, child(path, name), errors, depth + 1);
  }
}
