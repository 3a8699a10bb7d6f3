import { equal, isObject } from "../object/json.ts";
import type { Schema } from "../schema/schema.ts";
import { MAX_DEPTH, tooDeep } from "./bounded-clone.ts";
import { fieldElement } from "./field/field-path.ts";
import type { PathElement } from "./field/field-path.ts";
import { EMPTY, LEAF, node, recursiveDifference } from "./field/field-set.ts";
import type { FieldSet } from "./field/field-set.ts";
import { childSchema, isAtomicMap, itemElement, listShape, objectSchema } from "./shape.ts";

/** Which fields one version of an object has that another has not, or has otherwise. No field is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two versions of an object, without `ignored` and what is below it. */
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

/** `undefined` stands for an absent value, and as a result for no difference: most of most objects never changes. */
function compareAt(before: unknown, after: unknown, schema: Schema | undefined, depth: number): Comparison | undefined {
  if (before === after) return undefined;
  if (depth > MAX_DEPTH) throw tooDeep();
  const branch = new Branch();
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
      compareItems(left, right, schema as Schema, branch, depth);
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

/** A value of another type than the container it is compared with; null passes for an empty one. */
function isOther(value: unknown, container: unknown): boolean {
  return value !== undefined && value !== null && value !== container;
}

function isBare(value: Record<string, unknown> | undefined): boolean {
  for (const key in value) if (value[key] !== undefined && Object.hasOwn(value, key)) return false;
  return true;
}

function compareItems(
  before: readonly unknown[],
  after: readonly unknown[],
  schema: Schema,
  branch: Branch,
  depth: number,
): void {
  const left = itemsByElement(before, schema);
  const right = itemsByElement(after, schema);
  for (const [element, items] of left) {
    compareItem(element, items, right.get(element) ?? [], schema, branch, depth);
  }
  for (const [element, items] of right) {
    if (!left.has(element)) compareItem(element, [], items, schema, branch, depth);
  }
}

/** Items with the same keys are compared as a whole: there is no telling which is which. */
function compareItem(
  element: PathElement,
  before: readonly unknown[],
  after: readonly unknown[],
  schema: Schema,
  branch: Branch,
  depth: number,
): void {
  if (before.length <= 1 && after.length <= 1) {
    branch.add(element, compareAt(before[0], after[0], schema.items, depth + 1));
  } else if (before.length > 1 && after.length > 1) {
    if (!equal(before, after)) branch.add(element, LEAF_MODIFIED);
  } else if (before.length > 1) {
    const added = after.length === 0 ? undefined : compareAt(undefined, after[0], schema.items, depth + 1);
    branch.add(element, { added: added?.added ?? EMPTY, modified: EMPTY, removed: LEAF });
  } else {
    const removed = before.length === 0 ? undefined : compareAt(before[0], undefined, schema.items, depth + 1);
    branch.add(element, { added: LEAF, modified: EMPTY, removed: removed?.removed ?? EMPTY });
  }
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

/** The three sets below one path while they are being gathered. */
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

  /** With what is said of the path itself. */
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
