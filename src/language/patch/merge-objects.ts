import { isObject, set } from "../object/json.ts";
import type { Schema } from "../schema/schema.ts";
import { boundedClone, MAX_DEPTH, tooDeep } from "./bounded-clone.ts";
import { fieldElement } from "./field/field-path.ts";
import type { PathElement } from "./field/field-path.ts";
import type { FieldSet } from "./field/field-set.ts";
import { childSchema, isAtomicMap, itemElement, listShape, objectSchema } from "./shape.ts";

/** Merges an applied configuration into a live object. Removes nothing; the result shares nothing with its sources. */
export function mergeObjects(live: unknown, config: unknown, schema: Schema): unknown {
  return mergeAt(live, config, objectSchema(schema), 0);
}

/**
 * What a container becomes when its last member is removed, but a manager still owns the container. For comparisons it is
 * `null`. In the result, a built-in object does not have it (`absent`), because Go decodes null to the zero value; a
 * custom resource keeps it `bare`, as `{}` or `[]`, because null would violate the schema.
 */
export type Emptied = "null" | "absent" | "bare";

/** The object without the fields and items in the set. */
export function removeFields(object: unknown, fields: FieldSet, schema: Schema, emptied: Emptied): unknown {
  return removeAt(object, fields, objectSchema(schema), emptied);
}

function mergeAt(live: unknown, config: unknown, schema: Schema | undefined, depth: number): unknown {
  if (config === undefined) return boundedClone(live, depth);
  if (depth > MAX_DEPTH) throw tooDeep();
  if (isObject(live)) {
    if (isAtomicMap(schema)) return boundedClone(config, depth);
    // A null does not remove the fields below it, which other managers may have set.
    if (config === null && hasMembers(live)) return boundedClone(live, depth);
    return isObject(config) ? mergeMaps(live, config, schema, depth) : boundedClone(config, depth);
  }
  if (Array.isArray(live) && live.length > 0 && listShape(schema) !== "atomic") {
    if (config === null) return boundedClone(live, depth);
    if (Array.isArray(config)) return mergeLists(live, config, schema as Schema, depth);
  }
  return boundedClone(config, depth);
}

function mergeMaps(
  live: Record<string, unknown>,
  config: Record<string, unknown>,
  schema: Schema | undefined,
  depth: number,
): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const key of Object.keys(live)) {
    const applied = Object.hasOwn(config, key) ? config[key] : undefined;
    set(merged, key, mergeAt(live[key], applied, childSchema(schema, key), depth + 1));
  }
  for (const key of Object.keys(config)) {
    if (!Object.hasOwn(live, key)) set(merged, key, boundedClone(config[key], depth + 1));
  }
  return merged;
}

/**
 * Items of the configuration keep its order. An item that only the live list has is placed before the item of the
 * configuration that it preceded there.
 */
function mergeLists(live: readonly unknown[], config: readonly unknown[], schema: Schema, depth: number): unknown[] {
  const shape = listShape(schema) as Exclude<ReturnType<typeof listShape>, "atomic">;
  const liveElements = live.map((item) => itemElement(shape, item));
  const configElements = config.map((item) => itemElement(shape, item));
  const applied = new Map<PathElement, unknown>();
  for (const [i, element] of configElements.entries()) applied.set(element, config[i]);
  const known = new Map<PathElement, unknown>();
  // Live items that share their keys are ambiguous, and so not merged with.
  for (const [i, element] of liveElements.entries()) known.set(element, known.has(element) ? null : live[i]);
  const shared = configElements.filter((element) => known.has(element));

  const merged: unknown[] = [];
  const done = new Set<PathElement>();
  const take = (element: PathElement): void => {
    done.add(element);
    merged.push(mergeAt(known.get(element) ?? undefined, applied.get(element), schema.items, depth + 1));
  };
  let nextShared = 0;
  let l = 0;
  let c = 0;
  while (l < liveElements.length || c < configElements.length) {
    const ours = liveElements[l];
    const theirs = configElements[c];
    if (ours !== undefined && theirs !== undefined) {
      if (ours === theirs) {
        take(ours);
        l++;
        c++;
        nextShared++;
        continue;
      }
      if (applied.has(ours) && nextShared < shared.length && shared[nextShared] !== ours) {
        l++;
        continue;
      }
    }
    if (ours !== undefined) {
      if (!applied.has(ours)) {
        merged.push(boundedClone(live[l], depth + 1));
        l++;
        continue;
      }
      if (done.has(ours)) l++;
    }
    if (theirs !== undefined) {
      take(theirs);
      c++;
      if (shared[nextShared] === theirs) nextShared++;
    }
  }
  return merged;
}

function removeAt(value: unknown, fields: FieldSet, schema: Schema | undefined, emptied: Emptied): unknown {
  if (fields.children === undefined) return value;
  if (Array.isArray(value)) {
    const shape = listShape(schema);
    if (shape === "atomic") return leftover(value, emptied);
    const kept: unknown[] = [];
    for (const item of value) {
      const child = fields.children.get(itemElement(shape, item));
      if (child?.own) continue;
      const rest = child === undefined ? item : (removeAt(item, child, schema?.items, emptied) ?? undefined);
      if (rest !== undefined) kept.push(rest);
    }
    return kept.length > 0 ? kept : leftover(value, emptied);
  }
  if (!isObject(value)) return value;
  if (isAtomicMap(schema)) return leftover(value, emptied);
  const kept: Record<string, unknown> = {};
  let some = false;
  for (const key of Object.keys(value)) {
    const child = fields.children.get(fieldElement(key));
    if (child?.own) continue;
    const rest = child === undefined ? value[key] : removeAt(value[key], child, childSchema(schema, key), emptied);
    if (rest === undefined) continue;
    set(kept, key, rest);
    some = true;
  }
  return some ? kept : leftover(value, emptied);
}

function leftover(container: unknown, emptied: Emptied): unknown {
  if (emptied === "bare") return Array.isArray(container) ? [] : {};
  return emptied === "null" ? null : undefined;
}

function hasMembers(value: Record<string, unknown>): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return true;
  return false;
}
