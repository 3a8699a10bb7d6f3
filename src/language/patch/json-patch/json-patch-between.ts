import { equal, isObject, type Json, type JsonObject } from "../../object/json.ts";

export type JsonPatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/** In one list. API servers apply at most 10,000 operations in all. */
const mostInList = 100;

/**
 * Operations that turn one document into another. They name items of a list by index, so they fit no other document. A list whose
 * length changes is replaced as a whole.
 */
export function jsonPatchBetween(before: Json, after: Json): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(before, after, "", operations);
  return operations;
}

function compare(before: Json, after: Json, path: string, operations: JsonPatchOperation[]): void {
  if (isObject(before) && isObject(after)) return compareMembers(before, after, path, operations);
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    const inItems: JsonPatchOperation[] = [];
    for (const [i, item] of after.entries())
      if (before[i] !== item) compare(before[i] as Json, item, `${path}/${i}`, inItems);
    if (inItems.length > mostInList) operations.push({ op: "replace", path, value: after });
    else operations.push(...inItems);
    return;
  }
  if (!equal(before, after)) operations.push({ op: "replace", path, value: after });
}

function compareMembers(before: JsonObject, after: JsonObject, path: string, operations: JsonPatchOperation[]): void {
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) operations.push({ op: "remove", path: below(path, key) });
  for (const key of Object.keys(after)) {
    const value = after[key];
    // Handlers share what they do not change.
    if (value === undefined || before[key] === value) continue;
    if (Object.hasOwn(before, key)) compare(before[key] as Json, value, below(path, key), operations);
    else operations.push({ op: "add", path: below(path, key), value });
  }
}

function below(path: string, key: string): string {
  const isPlain = !key.includes("/") && !key.includes("~");
  return `${path}/${isPlain ? key : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
