import { equal, get, isObject } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { compileRules, validateRules } from "../../../language/schema/validate-rules.ts";
import type { FieldError } from "../../../language/schema/field-error.ts";
import type { Schema } from "../../../language/schema/schema.ts";

type Judge = (object: KubeObject, old?: KubeObject) => FieldError[];

/** The rules of a schema, ready to judge objects; undefined where it has none. */
export function rulesOf(schema: Schema): Judge | undefined {
  if (!hasRules(schema)) return undefined;
  // Compiled when first needed: a server that starts pays only for the kinds that are written.
  let compiled: ReturnType<typeof compileRules> | undefined;
  const ratchets = (schema["x-kubernetes-validations"] ?? []).length === 0;
  return (object, old) => {
    compiled ??= compileRules(schema);
    if (compiled.errors) return compiled.errors;
    const errors = validateRules(compiled, object, old);
    return errors.length > 0 && old && ratchets ? ofChangedFields(errors, object, old) : errors;
  };
}

/** What was let in before a rule existed may stay. Where no rule stands at the root, each is about one top-level field. */
function ofChangedFields(errors: readonly FieldError[], object: KubeObject, old: KubeObject): FieldError[] {
  return errors.filter(({ field }) => {
    const [name = ""] = field.split(/[.[]/, 1);
    return !equal(get(object, name), get(old, name));
  });
}

function hasRules(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasRules);
  if (!isObject(schema)) return false;
  return Object.entries(schema).some(([key, value]) =>
    key === "x-kubernetes-validations" ? Array.isArray(value) && value.length > 0 : hasRules(value),
  );
}
