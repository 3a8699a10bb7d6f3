import { isObject } from "../object/json.ts";
import { checkDepth } from "./depth.ts";
import { child, index } from "./path.ts";
import type { Schema } from "./schema.ts";

export interface PruneOptions {
  /** The value is a whole object: apiVersion, kind and metadata stay, whatever the schema says. */
  readonly root?: boolean;
}

/**
 * Removes, in place, fields that the schema does not know, and returns their paths as strict decoding names them.
 * Unknown fields that the schema preserves stay; known fields beside them are still pruned.
 */
export function pruneUnknown(value: unknown, schema: Schema, { root = false }: PruneOptions = {}): string[] {
  const unknown: string[] = [];
  const prune = (part: unknown, partSchema: Schema, path: string, depth: number): void => {
    checkDepth(depth);
    if (Array.isArray(part)) {
      const { items } = partSchema;
      if (!items) {
        // A list without a schema of its items: their fields are unknown, unless the list preserves them.
        if (!partSchema["x-kubernetes-preserve-unknown-fields"])
          for (const [i, item] of part.entries()) prune(item, {}, index(path, i), depth + 1);
        return;
      }
      if (isScalar(items)) return;
      for (let i = 0; i < part.length; i++) prune(part[i], items, index(path, i), depth + 1);
      return;
    }
    if (!isObject(part)) return;
    const isResource = (root && depth === 0) || partSchema["x-kubernetes-embedded-resource"] === true;
    const { properties, additionalProperties } = partSchema;
    const preserve = partSchema["x-kubernetes-preserve-unknown-fields"] === true;
    for (const name of Object.keys(part)) {
      if (isResource && (name === "apiVersion" || name === "kind" || name === "metadata")) continue;
      const property = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (property) prune(part[name], property, child(path, name), depth + 1);
      else if (isObject(additionalProperties)) prune(part[name], additionalProperties, child(path, name), depth + 1);
      else if (additionalProperties !== true && !preserve) {
        delete part[name];
        unknown.push(child(path, name));
      }
    }
  };
  prune(value, schema, "", 0);
  return unknown;
}

function isScalar({ type }: Schema): boolean {
  return type === "string" || type === "integer" || type === "number" || type === "boolean";
}
