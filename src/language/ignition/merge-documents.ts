import { isObject } from "../object/json.ts";
import type { IgnitionDocument } from "./document.ts";
import { type ListShape, type ObjectShape, type Shape, shape3 } from "./shape.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Later documents take precedence. Their fields replace earlier ones, their list items replace or complete those of the same
 * key; items keep the place where they first appeared, new ones come last.
 */
export function mergeDocuments(documents: readonly IgnitionDocument[]): IgnitionDocument {
  return documents
    .map((document) => document as unknown as Fields)
    .reduce((earlier, later) => mergeObjects(shape3, earlier, later), {}) as unknown as IgnitionDocument;
}

function merge(shape: Shape, earlier: unknown, later: unknown): unknown {
  if (later === undefined) return earlier;
  if (earlier === undefined) return later;
  if (shape.type === "object" && isObject(earlier) && isObject(later)) return mergeObjects(shape, earlier, later);
  if (shape.type === "list" && Array.isArray(earlier) && Array.isArray(later)) return mergeLists(shape, earlier, later);
  return later;
}

function mergeObjects(shape: ObjectShape, earlier: Fields, later: Fields): Fields {
  if (shape.decidedBy) return shape.decidedBy.some((name) => later[name] !== undefined) ? later : earlier;
  const kept = shape.exclusive ? withoutReplaced(shape, shape.exclusive, earlier, later) : earlier;
  const merged: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(shape.fields)) {
    const value = merge(field, kept[name], later[name]);
    if (value !== undefined) merged[name] = value;
  }
  return merged;
}

function mergeLists(
  { items, key, repeats }: ListShape,
  earlier: readonly unknown[],
  later: readonly unknown[],
): unknown[] {
  if (repeats) return [...earlier, ...later];
  const merged = new Map<unknown, unknown>();
  for (const item of earlier) merged.set(keyOf(item, key), item);
  for (const item of later) merged.set(keyOf(item, key), merge(items, merged.get(keyOf(item, key)), item));
  return [...merged.values()];
}

function keyOf(item: unknown, key: string | undefined): unknown {
  return key === undefined ? item : ((item as Fields)[key] ?? "");
}

/** Without the items that a later item of another list replaces: a path that becomes a link is no file any more. */
function withoutReplaced(
  { fields }: ObjectShape,
  exclusive: readonly string[],
  earlier: Fields,
  later: Fields,
): Fields {
  const kept: Record<string, unknown> = { ...earlier };
  for (const name of exclusive) {
    const list = earlier[name];
    const shape = fields[name];
    if (!Array.isArray(list) || shape?.type !== "list") continue;
    const replaced = new Set(
      exclusive
        .filter((other) => other !== name)
        .flatMap((other) => listAt(later, other).map((item) => keyOf(item, shape.key))),
    );
    const left = list.filter((item) => !replaced.has(keyOf(item, shape.key)));
    kept[name] = left.length > 0 ? left : undefined;
  }
  return kept;
}

function listAt(fields: Fields, name: string): readonly unknown[] {
  const list = fields[name];
  return Array.isArray(list) ? list : [];
}
