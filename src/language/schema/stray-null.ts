import { isObject } from "../object/json.ts";
import { checkDepth } from "./depth.ts";
import { type FieldError, typeInvalid } from "./field-error.ts";
import { child, index } from "./path.ts";
import type { Schema } from "./schema.ts";

/**
 * Nulls in fields that are not nullable and have no default. Most requests may contain them, without effect; an applied
 * configuration may not, because its fields say what its manager owns.
 */
export function strayNulls(value: unknown, schema: Schema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  const visit = (part: unknown, partSchema: Schema, place: string, depth: number): void => {
    checkDepth(depth);
    if (part === null) {
      const type = partSchema["x-kubernetes-int-or-string"] ? "integer,string" : partSchema.type;
      if (type !== undefined && !partSchema.nullable && partSchema.default === undefined)
        errors.push(typeInvalid(place, "null", `${place} in body must be of type ${type}: "null"`));
      return;
    }
    if (Array.isArray(part)) {
      const { items } = partSchema;
      if (items) for (const [i, item] of part.entries()) visit(item, items, index(place, i), depth + 1);
      return;
    }
    if (!isObject(part)) return;
    const { properties, additionalProperties } = partSchema;
    for (const name of Object.keys(part)) {
      const known = properties && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      if (isObject(known)) visit(part[name], known, child(place, name), depth + 1);
    }
  };
  visit(value, schema, path, 0);
  return errors;
}
