import { get } from "../../../language/object/json.ts";

/** The objects of a document: a list is as good as several documents, and a document of nothing is none. */
export function listItems(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  const items = get(value, "items");
  const kind = get(value, "kind");
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items) ? items.flatMap(listItems) : [value];
}
