import { isObject, set } from "../object/json.ts";
import type { Schema } from "../schema/schema.ts";

/**
 * The object as Go makes it before anything is set: structs that are always written exist from the start. Creating an
 * object is a change from this one, so nobody owns `spec` itself of a built-in kind, but somebody does of a custom one.
 */
export function zeroObject(schema: Schema | undefined): Record<string, unknown> {
  const zero: Record<string, unknown> = {};
  const always = schema?.go?.always;
  if (always === undefined) return zero;
  for (const key of Object.keys(always)) {
    const value = always[key];
    set(zero, key, isObject(value) ? { ...zeroObject(schema?.properties?.[key]), ...value } : value);
  }
  return zero;
}
