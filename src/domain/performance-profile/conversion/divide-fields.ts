import { get, isObject, set } from "../../../language/object/json.ts";
import { pruneUnknown } from "../../../language/schema/prune.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { validateSchema } from "../../../language/schema/validate.ts";

type Fields = Record<string, unknown>;

/** Divides a value into the fields that a version has, and the rest. */
export function divide(value: Readonly<Fields>, version: Schema): { supported: Fields; unsupported: Fields } {
  const supported: Fields = {};
  const unsupported: Fields = {};
  for (const key of Object.keys(value)) {
    const item = value[key];
    const field = fieldOf(version, key);
    if (!field) set(unsupported, key, item);
    else if (field.properties && isObject(item)) {
      const parts = divide(item, field);
      set(supported, key, parts.supported);
      if (Object.keys(parts.unsupported).length > 0) set(unsupported, key, parts.unsupported);
    } else set(supported, key, item);
  }
  return { supported, unsupported };
}

/**
 * Undoes `divide`. Fields that the version has come from `supported` alone, and a field is restored only if the object that
 * held it still exists. Any client may have written `unsupported`: what does not fit the schema `whole` is ignored.
 */
export function reunite(
  supported: Readonly<Fields>,
  unsupported: Readonly<Fields>,
  { version, whole }: { version: Schema; whole: Schema },
): Fields {
  const value: Fields = {};
  for (const key of Object.keys(supported)) set(value, key, supported[key]);
  for (const key of Object.keys(unsupported)) {
    const [item, field, inWhole] = [unsupported[key], fieldOf(version, key), fieldOf(whole, key)];
    const now = get(supported, key);
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
