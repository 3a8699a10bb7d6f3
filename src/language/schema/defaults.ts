import { writeJson } from "../object/exact-json.ts";
import { clone, isObject, set } from "../object/json.ts";
import { checkDepth } from "./depth.ts";
import type { Schema } from "./schema.ts";

/** Characters of JSON that defaults may add to one value: in a short list of empty items they could take gigabytes. */
export const defaultsLimit = 3 * 1024 * 1024;

export class DefaultsTooLargeError extends Error {
  override readonly name = "DefaultsTooLargeError";

  constructor() {
    super(`its defaults would add more than ${defaultsLimit} characters`);
  }
}

/**
 * Sets the defaults of the schema, in place. A null where null is not allowed counts as absent: it is replaced by the
 * default, or dropped where there is none. Null items of lists without a default stay, and validation rejects them.
 */
export function applyDefaults(value: unknown, schema: Schema): void {
  fill(value, schema, 0, { left: defaultsLimit });
}

interface Budget {
  left: number;
}

function fill(value: unknown, schema: Schema, depth: number, budget: Budget): void {
  checkDepth(depth);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items || !touches(items)) return;
    for (let i = 0; i < value.length; i++) {
      if (value[i] === null && !items.nullable && items.default !== undefined) value[i] = copyOf(items.default, budget);
      fill(value[i], items, depth + 1, budget);
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
      if (absent && property.default !== undefined) set(value, name, copyOf(property.default, budget));
      else if (absent) {
        if (present) delete value[name];
        continue;
      }
      fill(value[name], property, depth + 1, budget);
    }
  if (isObject(additionalProperties))
    for (const name of Object.keys(value)) {
      if (properties && Object.hasOwn(properties, name)) continue;
      if (value[name] === null && !(additionalProperties as Schema).nullable) {
        if ((additionalProperties as Schema).default === undefined) {
          delete value[name];
          continue;
        }
        set(value, name, copyOf((additionalProperties as Schema).default, budget));
      }
      fill(value[name], additionalProperties, depth + 1, budget);
    }
}

const sizes = new WeakMap<object, number>();

function copyOf(value: unknown, budget: Budget): unknown {
  budget.left -= 1 + sizeOf(value);
  if (budget.left < 0) throw new DefaultsTooLargeError();
  return clone(value);
}

/** About the length of the value as JSON. Cached: a schema's default is the same object every time. */
function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  let size = sizes.get(value);
  if (size === undefined) sizes.set(value, (size = writeJson(value).length));
  return size;
}

/** Scalar items without a default need no walk: a list of strings may be long. */
function touches(items: Schema): boolean {
  return (
    items.default !== undefined ||
    items.properties !== undefined ||
    items.items !== undefined ||
    typeof items.additionalProperties === "object"
  );
}
