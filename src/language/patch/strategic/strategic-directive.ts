import { writeJson } from "../../object/exact-json.ts";
import { set } from "../../object/json.ts";
import type { Json, JsonObject } from "../../object/json.ts";
import { MAX_DEPTH, tooDeep } from "../bounded-clone.ts";
import { PatchError } from "../patch-error.ts";

export const DIRECTIVE = "$patch";
export const RETAIN_KEYS = "$retainKeys";
export const DELETE_FROM_LIST = "$deleteFromPrimitiveList";
export const SET_ORDER = "$setElementOrder";

/** The patch as a new value: without directives, and without nulls, which have nothing to delete. */
export function plain(value: Json, depth: number): Json | undefined {
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) {
    const list: Json[] = [];
    for (const item of value) {
      const kept = plain(item, depth + 1);
      if (kept !== undefined) list.push(kept);
    }
    return list;
  }
  if (Object.hasOwn(value, DIRECTIVE)) return undefined;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const child = value[key] as Json;
    if (child === null || isDirective(key)) continue;
    const kept = plain(child, depth + 1);
    if (kept !== undefined) set(copy, key, kept);
  }
  return copy;
}

export function unknownDirective(directive: unknown): PatchError {
  return new PatchError("internal", `unknown patch type: ${writeJson(directive)}`);
}

function isDirective(key: string): boolean {
  return key === RETAIN_KEYS || isFor(key, SET_ORDER) || isFor(key, DELETE_FROM_LIST);
}

export function isFor(key: string, directive: string): boolean {
  return key.startsWith(directive);
}
