import { isObject } from "../object/json.ts";
import type { Json } from "../object/json.ts";
import type { Schema } from "../schema/schema.ts";
import { keyElement, valueElement } from "./field/field-path.ts";
import type { PathElement } from "./field/field-path.ts";
import { objectMetaSchema } from "./object-meta-schema.ts";
import { PatchError } from "./patch-error.ts";

/**
 * How ownership of fields sees a list: one leaf, a set of values, or items found by their keys. What a schema does not
 * describe is merged field by field if it is an object, and is one leaf if it is a list.
 */
export type ListShape = "atomic" | "set" | { readonly keys: readonly string[]; readonly items: Schema | undefined };

export function listShape(schema: Schema | undefined): ListShape {
  if (schema === undefined) return "atomic";
  switch (schema["x-kubernetes-list-type"]) {
    case "atomic":
      return "atomic";
    case "set":
      return "set";
    case "map":
      return { keys: schema["x-kubernetes-list-map-keys"] ?? [], items: schema.items };
    default:
  }
  // Older built-in kinds say it in the words of strategic merge only.
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (strategy !== "merge" && strategy !== "merge,retainKeys") return "atomic";
  const key = schema["x-kubernetes-patch-merge-key"];
  return key === undefined ? "set" : { keys: [key], items: schema.items };
}

export function isAtomicMap(schema: Schema | undefined): boolean {
  return schema !== undefined && (schema["x-kubernetes-map-type"] === "atomic" || schema.go?.name === "RawExtension");
}

/** The schema of a field, `undefined` where the schema leaves it open. */
export function childSchema(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema === undefined) return undefined;
  const child =
    schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined;
  if (key === "metadata" && child?.properties === undefined && schema["x-kubernetes-embedded-resource"] === true) {
    return objectMetaSchema;
  }
  if (child !== undefined) return child;
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** Whether the schema names the field, as a struct does, and does not merely allow it, as a map does. */
export function isNamed(schema: Schema | undefined, key: string): boolean {
  if (schema === undefined) return false;
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, key)) return true;
  return schema["x-kubernetes-embedded-resource"] === true && PARTS_OF_EVERY_RESOURCE.has(key);
}

const PARTS_OF_EVERY_RESOURCE: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** The schema of a whole object, whose metadata is known whatever the schema says. */
export function objectSchema(schema: Schema): Schema {
  const metadata = schema.properties?.["metadata"];
  if (metadata?.properties !== undefined) return schema;
  const text: Schema = { type: "string" };
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata: objectMetaSchema } };
}

/** The path element of a list's item. A key that the item leaves out counts with its default. */
export function itemElement(shape: Exclude<ListShape, "atomic">, item: unknown): PathElement {
  if (shape === "set") {
    if (typeof item === "object") throw unfit("associative list without keys has an element that is not a scalar");
    return valueElement(item as Json);
  }
  if (!isObject(item)) throw unfit("associative list with keys may not have non-map elements");
  const pairs: [string, Json][] = [];
  for (const key of shape.keys) {
    const value = Object.hasOwn(item, key) ? item[key] : childSchema(shape.items, key)?.default;
    if (value !== undefined) pairs.push([key, value]);
  }
  if (pairs.length === 0) {
    throw unfit(
      `associative list with keys has an element that omits all key fields ${JSON.stringify(shape.keys)} (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(pairs);
}

function unfit(message: string): PatchError {
  return new PatchError("internal", message);
}
