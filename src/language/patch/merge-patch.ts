import { equal, isObject, set } from "../object/json.ts";
import type { Json, JsonObject } from "../object/json.ts";
import { boundedClone, MAX_DEPTH, tooDeep } from "./bounded-clone.ts";

/** RFC 7386. Neither argument is changed, and the result shares nothing with them. */
export function applyMergePatch(document: Json, patch: Json): Json {
  return merge(boundedClone(document), patch, 0);
}

/** The patch that turns `from` into `to`. It cannot set a member to null: a null in `to` removes the member. */
export function createMergePatch(from: Json, to: Json): Json {
  if (!isObject(from) || !isObject(to)) return boundedClone(to);
  const patch: JsonObject = {};
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) set(patch, key, null);
  for (const key of Object.keys(to)) {
    const before = Object.hasOwn(from, key) ? from[key] : undefined;
    const after = to[key] as Json;
    if (before === undefined) set(patch, key, boundedClone(after));
    else if (!equal(before, after)) set(patch, key, createMergePatch(before, after));
  }
  return patch;
}

function merge(target: Json, patch: Json, depth: number): Json {
  if (!isObject(patch)) return isObject(target) ? boundedClone(patch, depth) : withoutNulls(patch, depth);
  if (!isObject(target)) return withoutNulls(patch, depth);
  if (depth > MAX_DEPTH) throw tooDeep();
  for (const key of Object.keys(patch)) {
    const change = patch[key] as Json;
    if (change === null) delete target[key];
    else {
      const current = Object.hasOwn(target, key) ? (target[key] as Json) : null;
      set(target, key, merge(current, change, depth + 1));
    }
  }
  return target;
}

/** In a new value a null has nothing to delete, and is dropped; as in kube-apiserver, inside lists too. */
function withoutNulls(value: Json, depth: number): Json {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, depth + 1));
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const child = value[key] as Json;
    if (child !== null) set(copy, key, withoutNulls(child, depth + 1));
  }
  return copy;
}
