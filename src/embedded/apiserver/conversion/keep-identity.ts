import { asInteger, writeJson } from "../../../language/object/exact-json.ts";
import { isObject, type JsonObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { validateAnnotations, validateLabels } from "../../../language/object/validate-meta.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";

/** Why a converted object has another identity than its original. */
export function otherIdentity(converted: KubeObject, original: KubeObject): string | undefined {
  const metadata: JsonObject = isObject(converted.metadata) ? converted.metadata : {};
  for (const [field, name] of identity) {
    const [was, is] = [original.metadata[field] ?? "", metadata[field] ?? ""];
    if (was !== is) return `must have the same ${name}: ${was} != ${typeof is === "string" ? is : writeJson(is)}`;
  }
  return undefined;
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

export type Kept =
  | { readonly type: "kept"; readonly object: KubeObject }
  | { readonly type: "refused"; readonly reason: string };

/** The converted object with the original's metadata: a webhook may change only labels and annotations. */
export function keepIdentity(converted: KubeObject, original: KubeObject): Kept {
  const { labels, annotations } = isObject(converted.metadata) ? converted.metadata : ({} as JsonObject);
  const reason = faultIn("labels", labels) ?? faultIn("annotations", annotations);
  if (reason !== undefined) return { type: "refused", reason };
  const { labels: _, annotations: __, ...kept } = original.metadata;
  const metadata = {
    ...kept,
    ...(labels ? { labels: labels as Record<string, string> } : {}),
    ...(annotations ? { annotations: annotations as Record<string, string> } : {}),
  };
  return { type: "kept", object: { ...converted, metadata } };
}

function faultIn(field: "labels" | "annotations", value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) return `invalid metadata.${field} of type ${goType(value)} in converted object`;
  for (const key of Object.keys(value))
    if (typeof value[key] !== "string")
      return `metadata.${field}[${key}] must be a string, but is ${goType(value[key])} in converted object`;
  const errors: FieldError[] = [];
  if (field === "labels") validateLabels(value as Record<string, string>, "metadata.labels", errors);
  else validateAnnotations(value as Record<string, string>, errors);
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.message}`))];
  return texts.length > 1 ? `[${texts.join(", ")}]` : texts[0];
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isObject(value)) return "map[string]interface {}";
  if (typeof value === "number" || typeof value === "bigint")
    return asInteger(value) === undefined ? "float64" : "int64";
  if (typeof value === "boolean") return "bool";
  return value === null ? "<nil>" : typeof value;
}
