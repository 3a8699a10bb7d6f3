import { isObject } from "../../object/json.ts";
import type { Schema } from "../../schema/schema.ts";
import { MAX_DEPTH, tooDeep } from "../bounded-clone.ts";
import { fieldElement } from "./field-path.ts";
import type { PathElement } from "./field-path.ts";
import { EMPTY, LEAF, node } from "./field-set.ts";
import type { FieldSet } from "./field-set.ts";
import { childSchema, isAtomicMap, isNamed, itemElement, listShape, objectSchema } from "../shape.ts";

/** The fields of a configuration, which its applier comes to own. */
export function fieldsOf(object: unknown, schema: Schema): FieldSet {
  return fieldsAt(object, objectSchema(schema), 0);
}

/**
 * The set with the parents that the schema names. Stored sets leave them out, but when the last field of an object is
 * removed, the object must be removed too.
 */
export function withNamedParents(a: FieldSet, schema: Schema | undefined): FieldSet {
  if (a.children === undefined) return a;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of a.children) {
    const kind = element.charCodeAt(0);
    const name = element.slice(2);
    const below = kind === 102 ? childSchema(schema, name) : kind === 107 ? schema?.items : undefined;
    const parent = withNamedParents(child, below);
    children.set(element, parent.own || kind !== 102 || !isNamed(schema, name) ? parent : node(true, parent.children));
  }
  return { own: a.own, children };
}

function fieldsAt(value: unknown, schema: Schema | undefined, depth: number): FieldSet {
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) return fieldsOfList(value, schema, depth);
  if (!isObject(value)) return value === null ? fieldsOfNull(schema) : LEAF;
  if (isAtomicMap(schema)) return LEAF;
  const children = new Map<PathElement, FieldSet>();
  for (const key of Object.keys(value)) {
    const child = value[key];
    if (child === undefined) continue;
    const fields = fieldsAt(child, childSchema(schema, key), depth + 1);
    const own = fields.own || child === null || !isNamed(schema, key) || isEmptyObject(child);
    const entry = node(own, fields.children);
    if (entry !== EMPTY) children.set(fieldElement(key), entry);
  }
  return node(false, children);
}

function fieldsOfList(list: readonly unknown[], schema: Schema | undefined, depth: number): FieldSet {
  const shape = listShape(schema);
  if (shape === "atomic") return LEAF;
  const children = new Map<PathElement, FieldSet>();
  for (const item of list) {
    const element = itemElement(shape, item);
    // Items with the same keys are owned as a whole: their fields have no owner.
    if (children.has(element)) children.set(element, LEAF);
    else children.set(element, node(true, fieldsAt(item, schema?.items, depth + 1).children));
  }
  return node(false, children);
}

function fieldsOfNull(schema: Schema | undefined): FieldSet {
  if (schema?.type === "array") return listShape(schema) === "atomic" ? LEAF : EMPTY;
  return schema?.type === "object" && !isAtomicMap(schema) ? EMPTY : LEAF;
}

function isEmptyObject(value: unknown): boolean {
  if (!isObject(value)) return false;
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}
