import type { IgnitionDocument } from "./document.ts";
import { type ListShape, type ObjectShape, type Shape, shape3 } from "./shape.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Later documents take precedence. Their fields replace earlier ones, their list items replace or complete those of the same
 * key; items keep the place where they first appeared, new ones come last.
 */
export function mergeDocuments(documents: readonly IgnitionDocument[]): IgnitionDocument {
  return mergeObjects(shape3, documents as unknown as Fields[]) as unknown as IgnitionDocument;
}

/** All values are of the shape, in order. */
function merge(shape: Shape, values: readonly unknown[]): unknown {
  if (values.length === 1) return values[0];
  if (shape.type === "object") return mergeObjects(shape, values as Fields[]);
  if (shape.type === "list") return mergeLists(shape, values as unknown[][]);
  return values.at(-1);
}

function mergeObjects(shape: ObjectShape, objects: readonly Fields[]): Fields {
  const { decidedBy } = shape;
  if (decidedBy)
    return objects.findLast((object) => decidedBy.some((name) => object[name] !== undefined)) ?? objects.at(-1) ?? {};
  const kept = shape.exclusive ? withoutReplaced(shape, shape.exclusive, objects) : objects;
  const merged: Record<string, unknown> = {};
  for (const name of Object.keys(shape.fields)) {
    const field = shape.fields[name];
    const values = kept.flatMap((object) => (object[name] === undefined ? [] : [object[name]]));
    if (field && values.length > 0) merged[name] = merge(field, values);
  }
  return merged;
}

function mergeLists({ items, key, repeats }: ListShape, lists: readonly (readonly unknown[])[]): unknown[] {
  if (repeats) return lists.flat();
  const found = new Map<unknown, unknown[]>();
  for (const item of lists.flat()) {
    const same = found.get(keyOf(item, key));
    if (same) same.push(item);
    else found.set(keyOf(item, key), [item]);
  }
  return Array.from(found.values(), (same) => merge(items, same));
}

function keyOf(item: unknown, key: string | undefined): unknown {
  return key === undefined ? item : ((item as Fields)[key] ?? "");
}

/** Without the items that a later object has in another list: a path that became a link is no file any more. */
function withoutReplaced({ fields }: ObjectShape, exclusive: readonly string[], objects: readonly Fields[]): Fields[] {
  const used = exclusive.filter((name) => objects.some((object) => listAt(object, name).length > 0));
  if (used.length < 2) return [...objects];
  const elsewhere = new Map(used.map((name) => [name, new Set<unknown>()]));
  // From the last object to the first, so that the sets hold what later objects have.
  return objects
    .toReversed()
    .map((object) => {
      const kept: Record<string, unknown> = { ...object };
      for (const [name, replaced] of elsewhere) {
        const left = listAt(object, name).filter((item) => !replaced.has(keyOf(item, keyIn(fields, name))));
        kept[name] = left.length > 0 ? left : undefined;
      }
      for (const name of used)
        for (const item of listAt(object, name))
          for (const [other, replaced] of elsewhere) if (other !== name) replaced.add(keyOf(item, keyIn(fields, name)));
      return kept;
    })
    .toReversed();
}

function keyIn(fields: ObjectShape["fields"], name: string): string | undefined {
  const shape = fields[name];
  return shape?.type === "list" ? shape.key : undefined;
}

function listAt(object: Fields, name: string): readonly unknown[] {
  const list = object[name];
  return Array.isArray(list) ? list : [];
}
