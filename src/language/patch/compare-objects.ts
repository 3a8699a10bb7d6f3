import { equal, isObject } from "../object/json.ts";
import type { Schema } from "../schema/schema.ts";
import { MAX_DEPTH, tooDeep } from "./bounded-clone.ts";
import { fieldElement } from "./field/field-path.ts";
import type { PathElement } from "./field/field-path.ts";
import { EMPTY, LEAF, node, recursiveDifference } from "./field/field-set.ts";
import type { FieldSet } from "./field/field-set.ts";
import { childSchema, isAtomicMap, itemElement, listShape, objectSchema } from "./shape.ts";

/** The fields in which two states of an object differ. No field is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two states of an object, without the fields in `ignored` and below them. */
export function compareObjects(before: unknown, after: unknown, schema: Schema, ignored?: FieldSet): Comparison {
  const delta = compareAt(before, after, objectSchema(schema), 0) ?? NOTHING;
  if (ignored === undefined) return delta;
  return {
    added: recursiveDifference(delta.added, ignored),
    modified: recursiveDifference(delta.modified, ignored),
    removed: recursiveDifference(delta.removed, ignored),
  };
}

const NOTHING: Comparison = { added: EMPTY, modified: EMPTY, removed: EMPTY };
const LEAF_ADDED: Comparison = { added: LEAF, modified: EMPTY, removed: EMPTY };
const LEAF_MODIFIED: Comparison = { added: EMPTY, modified: LEAF, removed: EMPTY };
const LEAF_REMOVED: Comparison = { added: EMPTY, modified: EMPTY, removed: LEAF };

/** `undefined` as an argument is an absent value, as a result no difference: most of an object stays the same. */
function compareAt(before: unknown, after: unknown, schema: Schema | undefined, depth: number): Comparison | undefined {
  if (before === after) return undefined;
  if (depth > MAX_DEPTH) throw tooDeep();
  let branch = new Branch();
  let isLeaf = true;
  if (isObject(before) || isObject(after)) {
    const left = isObject(before) ? before : undefined;
    const right = isObject(after) ? after : undefined;
    if (!isAtomicMap(schema) && !(isBare(left) && isBare(right))) {
      isLeaf = isOther(before, left) || isOther(after, right);
      for (const key in left) {
        if (left[key] === undefined || !Object.hasOwn(left, key)) continue;
        const other = right !== undefined && Object.hasOwn(right, key) ? right[key] : undefined;
        branch.add(fieldElement(key), compareAt(left[key], other, childSchema(schema, key), depth + 1));
      }
      for (const key in right) {
        if (right[key] === undefined || !Object.hasOwn(right, key)) continue;
        if (left !== undefined && Object.hasOwn(left, key) && left[key] !== undefined) continue;
        branch.add(fieldElement(key), compareAt(undefined, right[key], childSchema(schema, key), depth + 1));
      }
    }
  } else if (Array.isArray(before) || Array.isArray(after)) {
    const shape = listShape(schema);
    const left: unknown[] = Array.isArray(before) ? before : [];
    const right: unknown[] = Array.isArray(after) ? after : [];
    if (shape !== "atomic" && left.length + right.length > 0) {
      isLeaf = isOther(before, left) || isOther(after, right);
      branch = compareItems(left, right, schema as Schema, depth);
    }
  }
  if (isLeaf) return branch.with(leaf(before, after));
  if (before === undefined) return branch.with(LEAF_ADDED);
  return after === undefined ? branch.with(LEAF_REMOVED) : branch.result();
}

function leaf(before: unknown, after: unknown): Comparison | undefined {
  if (before === undefined) return LEAF_ADDED;
  if (after === undefined) return LEAF_REMOVED;
  return equal(before, after) ? undefined : LEAF_MODIFIED;
}

/** Whether the value has another type than the container it is compared with; null counts as an empty container. */
function isOther(value: unknown, container: unknown): boolean {
  return value !== undefined && value !== null && value !== container;
}

function isBare(value: Record<string, unknown> | undefined): boolean {
  for (const key in value) if (value[key] !== undefined && Object.hasOwn(value, key)) return false;
  return true;
}

function compareItems(before: readonly unknown[], after: readonly unknown[], schema: Schema, depth: number): Branch {
  const branch = new Branch();
  const left = itemsByElement(before, schema);
  const right = itemsByElement(after, schema);
  for (const [element, items] of left) {
    branch.add(element, compareItem(items, right.get(element) ?? [], schema.items, depth + 1));
  }
  for (const [element, items] of right) {
    if (!left.has(element)) branch.add(element, compareItem([], items, schema.items, depth + 1));
  }
  return branch;
}

/** `before` and `after` are the items with the same keys. If there are several, they are compared as a whole. */
function compareItem(
  before: readonly unknown[],
  after: readonly unknown[],
  schema: Schema | undefined,
  depth: number,
): Comparison | undefined {
  if (before.length <= 1 && after.length <= 1) return compareAt(before[0], after[0], schema, depth);
  if (before.length > 1 && after.length > 1) return equal(before, after) ? undefined : LEAF_MODIFIED;
  if (before.length > 1) {
    const added = after.length === 0 ? undefined : compareAt(undefined, after[0], schema, depth);
    return { added: added?.added ?? EMPTY, modified: EMPTY, removed: LEAF };
  }
  const removed = before.length === 0 ? undefined : compareAt(before[0], undefined, schema, depth);
  return { added: LEAF, modified: EMPTY, removed: removed?.removed ?? EMPTY };
}

function itemsByElement(list: readonly unknown[], schema: Schema): Map<PathElement, unknown[]> {
  const shape = listShape(schema) as Exclude<ReturnType<typeof listShape>, "atomic">;
  const result = new Map<PathElement, unknown[]>();
  for (const item of list) {
    const element = itemElement(shape, item);
    const same = result.get(element);
    if (same === undefined) result.set(element, [item]);
    else same.push(item);
  }
  return result;
}

/** Collects the three sets below one path. */
class Branch {
  #added: Map<PathElement, FieldSet> | undefined;
  #modified: Map<PathElement, FieldSet> | undefined;
  #removed: Map<PathElement, FieldSet> | undefined;

  add(element: PathElement, below: Comparison | undefined): void {
    if (below === undefined) return;
    if (below.added !== EMPTY) (this.#added ??= new Map()).set(element, below.added);
    if (below.modified !== EMPTY) (this.#modified ??= new Map()).set(element, below.modified);
    if (below.removed !== EMPTY) (this.#removed ??= new Map()).set(element, below.removed);
  }

  /** The sets below the path, and the difference of the path itself. */
  with(self: Comparison | undefined): Comparison | undefined {
    if (self === undefined) return this.result();
    return {
      added: node(self.added.own, this.#added),
      modified: node(self.modified.own, this.#modified),
      removed: node(self.removed.own, this.#removed),
    };
  }

  result(): Comparison | undefined {
    if (this.#added === undefined && this.#modified === undefined && this.#removed === undefined) return undefined;
    return this.with(NOTHING);
  }
}
