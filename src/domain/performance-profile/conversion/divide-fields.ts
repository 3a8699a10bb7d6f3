import { get, isObject, set } from "../../../language/object/json.ts";
import { pruneUnknown } from "../../../language/schema/prune.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { validateSchema } from "../../../language/schema/validate.ts";

type Fields = Record<string, unknown>;

/** Divides a value into what a version has fields for, and the rest. */
export function divide(value: Readonly<Fields>, version: Schema): { said: Fields; unsaid: Fields } {
  const said: Fields = {};
  const unsaid: Fields = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    const field = fieldOf(version, key);
    if (!field) set(unsaid, key, item);
    else if (field.properties && isObject(item)) {
      const parts = divide(item, field);
      set(said, key, parts.said);
      if (Object.keys(parts.unsaid).length > 0) set(unsaid, key, parts.unsaid);
    } else set(said, key, item);
  }
  return { said, unsaid };
}

/**
 * Undoes `divide`. What the version could say is taken from what it says alone, and what was within something that is
 * gone stays gone. `unsaid` may come from anybody: only what fits the `whole` counts.
 */
export function reunite(
  said: Readonly<Fields>,
  unsaid: Readonly<Fields>,
  { version, whole }: { version: Schema; whole: Schema },
): Fields {
  const value: Fields = {};
  for (const key of Object.keys(said)) set(value, key, said[key]);
  for (const key of Object.keys(unsaid)) {
    const [item, field, inWhole] = [unsaid[key], fieldOf(version, key), fieldOf(whole, key)];
    const now = get(said, key);
    if (!inWhole) continue;
    if (!field) {
      if (now === undefined && fits(item, inWhole)) set(value, key, item);
    } else if (isObject(now) && isObject(item)) set(value, key, reunite(now, item, { version: field, whole: inWhole }));
  }
  return value;
}

function fieldOf({ properties = {} }: Schema, key: string): Schema | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function fits(value: unknown, schema: Schema): boolean {
  if (validateSchema(value, schema).length > 0) return false;
  pruneUnknown(value, schema);
  return true;
}
