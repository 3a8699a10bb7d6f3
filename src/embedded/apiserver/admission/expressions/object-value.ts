import { ObjectValue, type Value } from "../../../../language/schema/cel/value.ts";

/** Fields without a value are not there. */
export function objectValue(fields: Readonly<Record<string, Value | undefined>>): Value {
  const present = new Map<string, Value>();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) present.set(name, value);
  return new ObjectValue(present);
}
