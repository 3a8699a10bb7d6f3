import { isObject } from "../object/json.ts";
import { checkDepth } from "./depth.ts";
import { child, index } from "./path.ts";
import type { Schema } from "./schema.ts";

export interface PruneOptions {
  /** The value is a whole object: apiVersion, kind and metadata are its own, whatever the schema says. */
  readonly root?: boolean;
}

/**
 * Removes, in place, what the schema does not know, and returns the paths of what went, as strict decoding names them.
 * What a schema asks to preserve stays, but known parts of it are still pruned.
 */
export function pruneUnknown(value: unknown, schema: Schema, { root = false }: PruneOptions = {}): string[] {
  const unknown: string[] = [];
  prune(value, schema, root, "", unknown, 0);
  return unknown;
}

function prune(value: unknown, schema: Schema, whole: boolean, path: string, unknown: string[], depth: number): void {
  checkDepth(depth);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (!items) {
      // A list without a schema of its items: whatever they hold is unknown, unless all of it is preserved.
      if (!schema["x-kubernetes-preserve-unknown-fields"])
        for (const [i, item] of value.entries()) prune(item, {}, false, index(path, i), unknown, depth + 1);
      return;
    }
    if (isScalar(items)) return;
    for (let i = 0; i < value.length; i++) prune(value[i], items, false, index(path, i), unknown, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  const isResource = whole || schema["x-kubernetes-embedded-resource"] === true;
  const { properties, additionalProperties } = schema;
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true;
  for (const name of Object.keys(value)) {
    if (isResource && (name === "apiVersion" || name === "kind" || name === "metadata")) continue;
    const property = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property) prune(value[name], property, false, child(path, name), unknown, depth + 1);
    else if (isObject(additionalProperties))
      prune(value[name], additionalProperties, false, child(path, name), unknown, depth + 1);
    else if (additionalProperties !== true && !preserve) {
      delete value[name];
      unknown.push(child(path, name));
    }
  }
}

function isScalar({ type }: Schema): boolean {
  return type === "string" || type === "integer" || type === "number" || type === "boolean";
}
