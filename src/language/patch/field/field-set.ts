import { isObject } from "../../object/json.ts";
import { MAX_DEPTH, tooDeep } from "../bounded-clone.ts";
import { parseElement, sortElements } from "./field-path.ts";
import type { FieldPath, PathElement } from "./field-path.ts";
import { PatchError } from "../patch-error.ts";

/**
 * A set of field paths as a tree. `own` means that the path to this node is in the set; every node below the root is
 * `own` or has children. Sets are immutable, so operations share nodes.
 */
export interface FieldSet {
  readonly own: boolean;
  readonly children: ReadonlyMap<PathElement, FieldSet> | undefined;
}

export const EMPTY: FieldSet = Object.freeze({ own: false, children: undefined });
/** The node of a path that is in the set, with nothing below it. */
export const LEAF: FieldSet = Object.freeze({ own: true, children: undefined });

export function fieldSetOf(...paths: FieldPath[]): FieldSet {
  let result = EMPTY;
  for (const path of paths) {
    let node = LEAF;
    for (let i = path.length - 1; i >= 0; i--)
      node = { own: false, children: new Map([[path[i] as PathElement, node]]) };
    result = union(result, node);
  }
  return result;
}

export function isEmpty(a: FieldSet): boolean {
  return !a.own && a.children === undefined;
}

export function has(a: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = a;
  for (const element of path) {
    node = node.children?.get(element);
    if (node === undefined) return false;
  }
  return node.own;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a;
  if (isEmpty(a)) return b;
  if (a.children === undefined || b.children === undefined) {
    return node(a.own || b.own, a.children ?? b.children);
  }
  const children = new Map(a.children);
  for (const [element, child] of b.children) {
    const mine = children.get(element);
    children.set(element, mine === undefined ? child : union(mine, child));
  }
  return node(a.own || b.own, children);
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const children = new Map<PathElement, FieldSet>();
  if (a.children !== undefined && b.children !== undefined) {
    const [small, large] = a.children.size < b.children.size ? [a.children, b.children] : [b.children, a.children];
    for (const [element, child] of small) {
      const other = large.get(element);
      const both = other === undefined ? EMPTY : intersection(child, other);
      if (!isEmpty(both)) children.set(element, both);
    }
  }
  return node(a.own && b.own, children);
}

/** The paths of `a` that are not in `b`; paths below them are not affected. Returns `a` itself if nothing is removed. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, false);
}

/** Like `difference`, but a path in `b` also removes all paths below it. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, true);
}

export function isSubset(a: FieldSet, b: FieldSet): boolean {
  return isEmpty(difference(a, b));
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.own !== b.own || (a.children?.size ?? 0) !== (b.children?.size ?? 0)) return false;
  for (const [element, child] of a.children ?? []) {
    const other = b.children?.get(element);
    if (other === undefined || !equalSets(child, other)) return false;
  }
  return true;
}

/** Every path of the set in kube-apiserver's order, a parent before its children. */
export function* paths(a: FieldSet, prefix: FieldPath = []): Generator<FieldPath> {
  if (a.children === undefined) return;
  for (const element of sortElements([...a.children.keys()])) {
    const child = a.children.get(element) as FieldSet;
    const path = [...prefix, element];
    if (child.own) yield path;
    yield* paths(child, path);
  }
}

/**
 * Reads FieldsV1. Elements of an unknown type are ignored, as kube-apiserver does. The output of `toFieldsV1` is already
 * canonical, and its elements need not be parsed (`spelling: "ours"`).
 */
export function parseFieldsV1(fields: unknown, spelling: "any" | "ours" = "any"): FieldSet {
  return node(false, parseChildren(fields, spelling, 0));
}

/** Writes FieldsV1 with sorted members: equal sets have equal texts. */
export function toFieldsV1(a: FieldSet): Record<string, unknown> {
  return write(a.children, false);
}

/** A node whose `children` are undefined rather than an empty map. */
export function node(own: boolean, children: ReadonlyMap<PathElement, FieldSet> | undefined): FieldSet {
  if (children !== undefined && children.size > 0) return { own, children };
  return own ? LEAF : EMPTY;
}

function subtract(a: FieldSet, b: FieldSet, recursive: boolean): FieldSet {
  if (a === b && !recursive) return EMPTY;
  const own = a.own && !b.own;
  if (recursive && b.own) return EMPTY;
  if (a.children === undefined || b.children === undefined) return own === a.own ? a : node(own, a.children);
  let children: Map<PathElement, FieldSet> | undefined;
  const [small, other] = a.children.size < b.children.size ? [a.children, b.children] : [b.children, a.children];
  for (const element of small.keys()) {
    if (!other.has(element)) continue;
    const mine = a.children.get(element) as FieldSet;
    const rest = subtract(mine, b.children.get(element) as FieldSet, recursive);
    if (rest === mine) continue;
    children ??= new Map(a.children);
    if (isEmpty(rest)) children.delete(element);
    else children.set(element, rest);
  }
  if (children === undefined) return own === a.own ? a : node(own, a.children);
  return node(own, children);
}

function write(children: FieldSet["children"], own: boolean): Record<string, unknown> {
  // Elements begin with a letter and a colon, so none of them is `__proto__`.
  const out: Record<string, unknown> = {};
  if (children === undefined) return out;
  if (own) out["."] = {};
  for (const element of sortElements([...children.keys()])) {
    const child = children.get(element) as FieldSet;
    out[element] = write(child.children, child.own);
  }
  return out;
}

function parseChildren(
  fields: unknown,
  spelling: "any" | "ours",
  depth: number,
): Map<PathElement, FieldSet> | undefined {
  if (!isObject(fields)) throw new PatchError("malformed", "parse managed fields: expected an object");
  if (depth > MAX_DEPTH) throw tooDeep();
  let children: Map<PathElement, FieldSet> | undefined;
  for (const key of Object.keys(fields)) {
    if (key === ".") continue;
    const element = spelling === "ours" ? key : parseElement(key);
    if (element === undefined) continue;
    const below = parseChildren(fields[key], spelling, depth + 1);
    const own = below === undefined || Object.hasOwn(fields[key] as object, ".");
    (children ??= new Map()).set(element, node(own, below));
  }
  return children;
}
