import { equal, isObject, type Json, type JsonObject } from "../../object/json.ts";

export type JsonPatchOperation =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: Json }
  | { readonly op: "remove"; readonly path: string };

/** In one list. API servers apply at most 10,000 operations in all. */
const mostInList = 100;

/**
 * Operations that turn one document into another. They name items of a list by index, so they fit no other document. A list whose
 * length changes is replaced as a whole, and so is an object that would take as many operations as it has values, but for the
 * members of the document itself: its metadata may have more than is shown here.
 */
export function jsonPatchBetween(before: Json, after: Json): JsonPatchOperation[] {
  const operations: JsonPatchOperation[] = [];
  compare(before, after, "", operations);
  return operations;
}

/** Returns how many values the operations change. */
function compare(before: Json, after: Json, path: string, operations: JsonPatchOperation[]): number {
  const first = operations.length;
  if (isObject(before) && isObject(after)) {
    const changed = compareMembers(before, after, path, operations);
    const several = operations.length - first > 1;
    if (several && path.lastIndexOf("/") > 0 && valuesIn(after, changed) <= changed)
      replaceFrom(first, path, after, operations);
    return changed;
  }
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    let changed = 0;
    for (const [i, item] of after.entries())
      if (before[i] !== item) changed += compare(before[i] as Json, item, `${path}/${i}`, operations);
    if (operations.length - first > mostInList) replaceFrom(first, path, after, operations);
    return changed;
  }
  if (equal(before, after)) return 0;
  operations.push({ op: "replace", path, value: after });
  return valuesIn(after);
}

function compareMembers(before: JsonObject, after: JsonObject, path: string, operations: JsonPatchOperation[]): number {
  let changed = 0;
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) {
      operations.push({ op: "remove", path: below(path, key) });
      changed++;
    }
  for (const key of Object.keys(after)) {
    const value = after[key];
    // Handlers share what they do not change.
    if (value === undefined || before[key] === value) continue;
    if (Object.hasOwn(before, key)) changed += compare(before[key] as Json, value, below(path, key), operations);
    else {
      operations.push({ op: "add", path: below(path, key), value });
      changed += valuesIn(value);
    }
  }
  return changed;
}

/** One operation instead of those from the first one on. */
function replaceFrom(first: number, path: string, value: Json, operations: JsonPatchOperation[]): void {
  operations.length = first;
  operations.push({ op: "replace", path, value });
}

/** The number of values that contain no others. Those beyond the most are not all counted. */
function valuesIn(value: Json, most = Infinity): number {
  if (typeof value !== "object" || value === null) return 1;
  let count = 0;
  for (const child of Object.values(value)) {
    count += valuesIn(child, most - count);
    if (count > most) break;
  }
  return count === 0 ? 1 : count;
}

function below(path: string, key: string): string {
  const isPlain = !key.includes("/") && !key.includes("~");
  return `${path}/${isPlain ? key : key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}
