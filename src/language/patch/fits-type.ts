import { writeJson } from "../object/exact-json.ts";
import { isObject } from "../object/json.ts";
import type { Json } from "../object/json.ts";
import type { KubeObject } from "../object/meta.ts";
import { parseApiVersion } from "../object/meta.ts";
import type { Schema } from "../schema/schema.ts";
import { MAX_DEPTH, tooDeep } from "./bounded-clone.ts";
import { printElement } from "./field/field-path.ts";
import { PatchError } from "./patch-error.ts";
import { childSchema, isNamed, itemElement, listShape, objectSchema } from "./shape.ts";

/**
 * Throws a PatchError if a configuration cannot be merged by its schema: a list instead of an object, a field that the
 * kind does not have, two items with the same keys.
 */
export function assertFitsType(config: KubeObject, schema: Schema): void {
  const fault = faultAt(config, objectSchema(schema), false, 0);
  if (fault === undefined) return;
  const { group, version } = parseApiVersion(config.apiVersion);
  const { namespace = "", name = "" } = config.metadata;
  throw new PatchError(
    "internal",
    `failed to create typed patch object (${namespace}/${name}; ${group}/${version}, Kind=${config.kind}): ${fault}`,
  );
}

/** The first fault as `.path: what is wrong`. */
function faultAt(value: unknown, schema: Schema | undefined, open: boolean, depth: number): string | undefined {
  if (value === null || value === undefined || schema === undefined) return undefined;
  if (depth > MAX_DEPTH) throw tooDeep();
  const isOpen = open || schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (Array.isArray(value)) {
    if (schema.type !== undefined && schema.type !== "array") return `: expected ${expected(schema)}, got a list`;
    return faultInList(value, schema, isOpen, depth);
  }
  if (isObject(value)) {
    if (schema.type !== undefined && schema.type !== "object") return `: expected ${expected(schema)}, got a map`;
    return faultInMap(value, schema, isOpen, depth);
  }
  return isScalar(value, schema) ? undefined : `: expected ${expected(schema)}, got ${found(value as Json, schema)}`;
}

function faultInMap(value: Record<string, Json>, schema: Schema, open: boolean, depth: number): string | undefined {
  const isClosed = !open && schema.properties !== undefined && (schema.additionalProperties ?? false) === false;
  for (const key of Object.keys(value)) {
    const fault =
      isClosed && !isNamed(schema, key)
        ? ": field not declared in schema"
        : faultAt(value[key], childSchema(schema, key), open, depth + 1);
    if (fault !== undefined) return `.${key}${fault}`;
  }
  return undefined;
}

function faultInList(list: readonly Json[], schema: Schema, open: boolean, depth: number): string | undefined {
  const shape = listShape(schema);
  const seen = new Set<string>();
  for (const [i, item] of list.entries()) {
    let at = `[${i}]`;
    if (shape !== "atomic") {
      let element: string;
      try {
        element = itemElement(shape, item);
      } catch (error) {
        if (error instanceof PatchError) return `: element ${i}: ${error.message}`;
        throw error;
      }
      at = printElement(element);
      if (seen.has(element)) return `: duplicate entries for key ${at}`;
      seen.add(element);
    }
    const fault = faultAt(item, schema.items, open, depth + 1);
    if (fault !== undefined) return `${at}${fault}`;
  }
  return undefined;
}

/** Types with a format or union, such as `Quantity`, accept more than their schema type; decoding checks them. */
function isScalar(value: unknown, schema: Schema): boolean {
  if (schema["x-kubernetes-int-or-string"] || schema.anyOf || schema.oneOf || schema.go?.name) return true;
  switch (schema.type) {
    case "string":
      return typeof value === "string" || (schema.format !== undefined && schema.format !== "byte");
    case "integer":
    case "number":
      return typeof value === "number" || typeof value === "bigint";
    case "boolean":
      return typeof value === "boolean";
    case undefined:
      return true;
    default:
      return false;
  }
}

function expected(schema: Schema): string {
  switch (schema.type) {
    case "array":
      return "list";
    case "object":
      return "map";
    case "integer":
    case "number":
      return "numeric (int or float)";
    default:
      return schema.type ?? "any scalar";
  }
}

/** The value as structured-merge-diff prints it: its type, the wrapped value or the value. */
function found(value: Json, schema: Schema): string {
  if (schema.type === "integer" || schema.type === "number") return typeof value === "boolean" ? "bool" : typeof value;
  const text = writeJson(value);
  return schema.type === "string" ? `&value.valueUnstructured{Value:${text}}` : text;
}
