import { writeJson } from "../../object/exact-json.ts";
import { isObject } from "../../object/json.ts";
import type { Json, JsonObject } from "../../object/json.ts";
import type { Schema } from "../../schema/schema.ts";
import { PatchError } from "../patch-error.ts";
import { plain, unknownDirective } from "./strategic-directive.ts";

type MergeMaps = (target: JsonObject, patch: JsonObject, schema: Schema | undefined, depth: number) => JsonObject;

interface ListMerge {
  readonly live: Json[];
  readonly patch: readonly Json[];
  readonly schema: Schema;
  readonly depth: number;
  /** The patch's `$setElementOrder`, if it has one. */
  readonly order?: readonly Json[] | undefined;
}

/**
 * Merges a patch's list into a live one: objects by the merge key, primitives as a set. Items of the patch keep the
 * patch's order, items that only the live list has keep theirs, and between the two the live order decides.
 */
export function mergeLists(mergeMaps: MergeMaps, { live, patch, schema, depth, order }: ListMerge): Json[] {
  const sample = live[0] ?? patch[0];
  if (sample === undefined) return live;
  if (Array.isArray(sample)) throw new PatchError("unprocessable", "lists of lists are not supported");
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  const areMaps = isObject(sample);
  for (const list of [live, patch]) {
    for (const item of list) if (isObject(item) !== areMaps || Array.isArray(item)) throw mixedTypes();
  }
  if (!areMaps) {
    if (order !== undefined) checkOrder(patch, order, undefined);
    const all = new Set<Json>(live);
    for (const item of patch) all.add(item);
    return orderAs([...all], patch, live, undefined);
  }
  if (mergeKey === undefined) throw new PatchError("internal", "cannot merge lists without merge key");
  const step = takeDirectives(live as JsonObject[], patch as JsonObject[], mergeKey);
  if (order !== undefined) checkOrder(step.patch, order, mergeKey);
  const at = new Map<Json, number>();
  for (const [i, item] of step.live.entries()) if (!at.has(keyOf(item, mergeKey))) at.set(keyOf(item, mergeKey), i);
  const merged: JsonObject[] = [...step.live];
  for (const item of step.patch) {
    const key = keyOf(item, mergeKey);
    const index = at.get(key);
    if (index !== undefined) merged[index] = mergeMaps(merged[index] as JsonObject, item, schema.items, depth + 1);
    else {
      at.set(key, merged.length);
      merged.push(plain(item, depth + 1) as JsonObject);
    }
  }
  return orderAs(merged, step.patch, step.live, mergeKey);
}

/** Items in `order` follow it; each other item is placed before the first item that it preceded in `serverOrder`. */
export function orderAs(
  items: readonly Json[],
  order: readonly Json[],
  serverOrder: readonly Json[],
  mergeKey: string | undefined,
): Json[] {
  const wanted = positions(order, mergeKey);
  const live = positions(serverOrder, mergeKey);
  const ours: { item: Json; rank: number; live: number }[] = [];
  const others: { item: Json; rank: number; live: number }[] = [];
  for (const item of items) {
    const key = mergeKey === undefined ? item : keyOf(item, mergeKey);
    const position = live.get(key) ?? -1;
    const rank = wanted.get(key);
    if (rank === undefined) others.push({ item, rank: position, live: position });
    else ours.push({ item, rank, live: position });
  }
  ours.sort((a, b) => a.rank - b.rank);
  others.sort((a, b) => a.rank - b.rank);
  const result: Json[] = [];
  let i = 0;
  for (const mine of ours) {
    while (i < others.length && comesFirst(others[i] as { live: number }, mine))
      result.push((others[i++] as { item: Json }).item);
    result.push(mine.item);
  }
  while (i < others.length) result.push((others[i++] as { item: Json }).item);
  return result;
}

function comesFirst(other: { live: number }, mine: { live: number }): boolean {
  return other.live >= 0 && mine.live >= 0 && other.live < mine.live;
}

function positions(list: readonly Json[], mergeKey: string | undefined): Map<Json, number> {
  const result = new Map<Json, number>();
  for (const [i, item] of list.entries()) {
    const key = mergeKey === undefined ? item : keyOf(item, mergeKey);
    if (!result.has(key)) result.set(key, i);
  }
  return result;
}

/** Applies items that are directives: `$patch: delete` removes a live item, `$patch: replace` removes all of them. */
function takeDirectives(
  live: JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
): { live: JsonObject[]; patch: JsonObject[] } {
  const rest: JsonObject[] = [];
  const deleted = new Set<Json>();
  let replace = false;
  for (const item of patch) {
    if (!Object.hasOwn(item, "$patch")) rest.push(item);
    else if (item["$patch"] === "delete") deleted.add(keyOf(item, mergeKey));
    else if (item["$patch"] === "replace") replace = true;
    else if (item["$patch"] === "merge") {
      throw new PatchError("internal", "merging lists cannot yet be specified in the patch");
    } else throw unknownDirective(item["$patch"]);
  }
  if (replace) return { live: [], patch: rest };
  return { live: deleted.size === 0 ? live : live.filter((item) => !deleted.has(keyOf(item, mergeKey))), patch: rest };
}

/** Every item a patch writes must be in its `$setElementOrder`, in the same order. */
function checkOrder(patch: readonly Json[], order: readonly Json[], mergeKey: string | undefined): void {
  if (order.length === 0) return;
  let next = 0;
  for (const item of order) {
    const wanted = patch[next];
    if (wanted === undefined) return;
    const same = mergeKey === undefined ? wanted === item : keyOf(wanted, mergeKey) === keyOf(item, mergeKey);
    if (same) next++;
  }
  if (next < patch.length) {
    throw new PatchError("internal", "The order in patch list doesn't match $setElementOrder list");
  }
}

function keyOf(item: Json, mergeKey: string): Json {
  if (!isObject(item)) throw mixedTypes();
  if (Object.hasOwn(item, mergeKey)) return item[mergeKey] as Json;
  throw new PatchError("internal", `map: ${writeJson(item)} does not contain declared merge key: ${mergeKey}`);
}

function mixedTypes(): PatchError {
  return new PatchError("internal", "list element types are not identical");
}
