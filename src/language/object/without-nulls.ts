import { isObject, set } from "./json.ts";

/**
 * A copy in which fields that are null are absent, as Kubernetes reads them. What lies deeper than any field of use is left
 * as it is: whoever looks there has an error to tell.
 */
export function withoutNulls(value: unknown, deepest = 500): unknown {
  if (deepest < 0) return value;
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, deepest - 1));
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value))
    if (item !== null && item !== undefined) set(kept, name, withoutNulls(item, deepest - 1));
  return kept;
}
