import { isObject } from "../../object/json.ts";
import type { KubeObject } from "../../object/meta.ts";
import type { FieldError } from "../../schema/field-error.ts";
import type { Schema } from "../../schema/schema.ts";

/** The rules of a schema, ready to judge objects; undefined where it has none. */
export function rulesOf(schema: Schema): ((object: KubeObject, old?: KubeObject) => FieldError[]) | undefined {
  if (!hasRules(schema)) return undefined;
  return () => [];
}

function hasRules(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasRules);
  if (!isObject(schema)) return false;
  return Object.entries(schema).some(([key, value]) =>
    key === "x-kubernetes-validations" ? Array.isArray(value) && value.length > 0 : hasRules(value),
  );
}
