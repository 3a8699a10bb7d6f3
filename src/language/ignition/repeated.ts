import { duplicate, type FieldError } from "../schema/field-error.ts";
import { child, index } from "../schema/path.ts";
import { shortened } from "./read-shape.ts";

/** Entries whose key an earlier entry has. */
export function repeated(entries: readonly object[], key: string, field: string): FieldError[] {
  const seen = new Set<unknown>();
  return entries.flatMap((entry, position) => {
    const value = (entry as Readonly<Record<string, unknown>>)[key] ?? "";
    if (seen.has(value)) return [duplicate(child(index(field, position), key), shortened(value))];
    seen.add(value);
    return [];
  });
}
