import { isObject, set } from "../../object/json.ts";
import type { Json, JsonObject } from "../../object/json.ts";
import type { Schema } from "../../schema/schema.ts";
import { boundedClone, MAX_DEPTH, tooDeep } from "../bounded-clone.ts";
import { PatchError } from "../patch-error.ts";
import { childSchema } from "../shape.ts";
import {
  DELETE_FROM_LIST,
  DIRECTIVE,
  isFor,
  plain,
  RETAIN_KEYS,
  SET_ORDER,
  unknownDirective,
} from "./strategic-directive.ts";
import { mergeLists, orderAs } from "./strategic-list.ts";

/**
 * Kubernetes' strategic merge: like a merge patch, but lists with a merge key are merged by it, and `$` members of the
 * patch are directives. Neither argument is changed.
 */
export function applyStrategicMerge(document: JsonObject, patch: JsonObject, schema: Schema): JsonObject {
  return mergeMaps(boundedClone(document), patch, schema, 0);
}

/** Merges into `target`, changes it and returns it. */
function mergeMaps(target: JsonObject, patch: JsonObject, schema: Schema | undefined, depth: number): JsonObject {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Object.hasOwn(patch, DIRECTIVE)) return replaced(patch, depth);
  retainKeys(target, patch);
  const ordered = mergeOrderedLists(target, patch, schema, depth);
  for (const key of Object.keys(patch)) {
    if (key === RETAIN_KEYS || isFor(key, SET_ORDER) || ordered?.has(key)) continue;
    if (isFor(key, DELETE_FROM_LIST)) deleteFromList(target, fieldOf(key), patch[key] as Json);
    else {
      const current = Object.hasOwn(target, key) ? target[key] : undefined;
      const merged = mergeField(current, patch[key] as Json, childSchema(schema, key), depth);
      if (merged === undefined) delete target[key];
      else set(target, key, merged);
    }
  }
  return target;
}

/** The new value of a field, or undefined if the patch removes it. */
function mergeField(
  current: Json | undefined,
  change: Json,
  schema: Schema | undefined,
  depth: number,
): Json | undefined {
  if (change === null) return undefined;
  const strategy = strategyOf(schema);
  if (isObject(current) && isObject(change))
    return strategy === "replace" ? plain(change, depth) : mergeMaps(current, change, schema, depth + 1);
  if (Array.isArray(current) && Array.isArray(change) && strategy === "merge")
    return mergeLists(mergeMaps, { live: current, patch: change, schema: schema as Schema, depth: depth + 1 });
  return plain(change, depth + 1);
}

/** `$patch: replace` takes the patch as it is, `$patch: delete` leaves an empty object. */
function replaced(patch: JsonObject, depth: number): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive === "delete") return {};
  if (directive !== "replace") throw unknownDirective(directive);
  const copy: JsonObject = {};
  for (const key of Object.keys(patch)) {
    if (key !== DIRECTIVE) set(copy, key, boundedClone(patch[key], depth + 1));
  }
  return copy;
}

function retainKeys(target: JsonObject, patch: JsonObject): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const list = patch[RETAIN_KEYS];
  if (!Array.isArray(list)) throw badFormat("retainKeys");
  const kept = new Set<unknown>(list);
  for (const key of Object.keys(patch)) {
    if (key === RETAIN_KEYS || patch[key] === null || isFor(key, DELETE_FROM_LIST) || isFor(key, SET_ORDER)) continue;
    if (!kept.has(key)) throw badFormat("retainKeys");
  }
  for (const key of Object.keys(target)) if (!kept.has(key)) delete target[key];
}

/** Merges lists that have a `$setElementOrder`. Returns their names, so that they are not merged again. */
function mergeOrderedLists(
  target: JsonObject,
  patch: JsonObject,
  schema: Schema | undefined,
  depth: number,
): Set<string> | undefined {
  let done: Set<string> | undefined;
  for (const directive of Object.keys(patch)) {
    if (!isFor(directive, SET_ORDER)) continue;
    const order = patch[directive];
    if (!Array.isArray(order)) throw badFormat("setElementOrder list");
    const key = fieldOf(directive);
    const field = childSchema(schema, key);
    const before = Object.hasOwn(target, key) ? target[key] : undefined;
    const change = Object.hasOwn(patch, key) ? patch[key] : undefined;
    if (before === undefined && change === undefined) continue;
    if ((before !== undefined && !Array.isArray(before)) || (change !== undefined && !Array.isArray(change))) {
      throw badFormat("setElementOrder list");
    }
    // Live items keep the order they had before the merge.
    const serverOrder: readonly Json[] = before === undefined ? [] : [...before];
    let merged: Json[];
    if (change === undefined) merged = before as Json[];
    else if (before === undefined) merged = plain(change, depth + 1) as Json[];
    else if (strategyOf(field) === "merge")
      merged = mergeLists(mergeMaps, {
        live: before,
        patch: change,
        schema: field as Schema,
        depth: depth + 1,
        order,
      });
    else merged = plain(change, depth + 1) as Json[];
    set(target, key, orderAs(merged, order, serverOrder, field?.["x-kubernetes-patch-merge-key"]));
    (done ??= new Set()).add(key);
  }
  return done;
}

function deleteFromList(target: JsonObject, key: string, deleted: Json): void {
  const current = Object.hasOwn(target, key) ? target[key] : undefined;
  if (deleted === null) delete target[key];
  if (!Array.isArray(current) || !Array.isArray(deleted)) return;
  const gone = new Set<unknown>(deleted);
  set(
    target,
    key,
    current.filter((item) => !gone.has(item)),
  );
}

function strategyOf(schema: Schema | undefined): "merge" | "replace" | undefined {
  const strategies = schema?.["x-kubernetes-patch-strategy"];
  if (strategies === undefined) return undefined;
  if (strategies.includes("merge")) return "merge";
  return strategies.includes("replace") ? "replace" : undefined;
}

function fieldOf(directive: string): string {
  const slash = directive.indexOf("/");
  if (slash === DELETE_FROM_LIST.length || slash === SET_ORDER.length) return directive.slice(slash + 1);
  throw badFormat(directive.startsWith(SET_ORDER) ? "setElementOrder list" : "primitive list");
}

function badFormat(what: string): PatchError {
  return new PatchError("malformed", `invalid patch format of ${what}`);
}
