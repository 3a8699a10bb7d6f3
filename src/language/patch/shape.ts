import { isObject } from "../object/json.ts";
import type { Json } from "../object/json.ts";
import type { Schema } from "../schema/schema.ts";
import { keyElement, valueElement } from "./field/field-path.ts";
import type { PathElement } from "./field/field-path.ts";
import { PatchError } from "./patch-error.ts";

/**
 * How a list is owned: as a whole, as a set of values, or item by item, by keys. Without a schema, an object is merged
 * field by field and a list is owned as a whole.
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
  // Older built-in kinds have only the keywords of strategic merge.
  const strategy = schema["x-kubernetes-patch-strategy"];
  if (strategy !== "merge" && strategy !== "merge,retainKeys") return "atomic";
  const key = schema["x-kubernetes-patch-merge-key"];
  return key === undefined ? "set" : { keys: [key], items: schema.items };
}

export function isAtomicMap(schema: Schema | undefined): boolean {
  return schema !== undefined && (schema["x-kubernetes-map-type"] === "atomic" || schema.go?.name === "RawExtension");
}

/** The schema of a field, undefined if the parent does not describe it. */
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

/** Whether the schema names the field, as for a struct, instead of allowing any key, as for a map. */
export function isNamed(schema: Schema | undefined, key: string): boolean {
  if (schema === undefined) return false;
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, key)) return true;
  return schema["x-kubernetes-embedded-resource"] === true && PARTS_OF_EVERY_RESOURCE.has(key);
}

const PARTS_OF_EVERY_RESOURCE: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** The schema of a whole object, with metadata even if the schema does not describe it. */
export function objectSchema(schema: Schema): Schema {
  const metadata = schema.properties?.["metadata"];
  if (metadata?.properties !== undefined) return schema;
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata: objectMetaSchema } };
}

/** The path element of an item of a list. A missing key counts with its default. */
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

const text: Schema = { type: "string" };
const texts: Schema = { type: "object", additionalProperties: text };

/** How metadata merges, for schemas that do not describe it: those of custom resources and embedded objects. */
const objectMetaSchema: Schema = {
  type: "object",
  properties: {
    name: text,
    generateName: text,
    namespace: text,
    selfLink: text,
    uid: text,
    resourceVersion: text,
    generation: { type: "integer" },
    creationTimestamp: { type: "string", format: "date-time" },
    deletionTimestamp: { type: "string", format: "date-time" },
    deletionGracePeriodSeconds: { type: "integer" },
    labels: texts,
    annotations: texts,
    ownerReferences: {
      type: "array",
      items: {
        type: "object",
        properties: {
          apiVersion: text,
          kind: text,
          name: text,
          uid: text,
          controller: { type: "boolean" },
          blockOwnerDeletion: { type: "boolean" },
        },
        "x-kubernetes-map-type": "atomic",
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
    },
    finalizers: { type: "array", items: text, "x-kubernetes-list-type": "set" },
    managedFields: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "atomic" },
  },
};
