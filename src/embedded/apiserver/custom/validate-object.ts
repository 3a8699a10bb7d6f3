import type { KubeObject } from "../../../language/object/meta.ts";
import { validateEmbeddedResources } from "../../../language/schema/embedded-resource.ts";
import { invalid, type FieldError, type FieldErrorReason } from "../../../language/schema/field-error.ts";
import { validateListTypes } from "../../../language/schema/list-type.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { validateSchema } from "../../../language/schema/validate.ts";
import type { Subresource } from "../resource.ts";
import { ratchet } from "./ratchet.ts";
import { validateScale } from "./scale.ts";
import { equal, get, isObject } from "../../../language/object/json.ts";
import { compileRules, validateRules } from "../../../language/schema/validate-rules.ts";

/** What makes an object of a custom kind a good one. */
export interface ObjectValidation {
  readonly create: (object: KubeObject) => FieldError[];
  readonly update: (object: KubeObject, old: KubeObject) => FieldError[];
  /** A write of the status alone. */
  readonly status: (object: KubeObject, old: KubeObject) => FieldError[];
}

/** Rules assume values of the right shape, so they are not asked about an object that has one of these faults. */
const BLOCKING: ReadonlySet<FieldErrorReason> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

const NOT_CHECKED = invalid(
  "<nil>",
  null,
  "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
);

export function objectValidation(
  schema: Schema,
  scale: Extract<Subresource, { type: "scale" }> | undefined,
): ObjectValidation {
  const rules = rulesOf(schema);
  const statusSchema = schema.properties?.["status"] ?? {};

  function withRules(errors: FieldError[], object: KubeObject, old?: KubeObject): FieldError[] {
    if (!rules) return errors;
    if (errors.some(({ reason }) => BLOCKING.has(reason))) errors.push(NOT_CHECKED);
    else errors.push(...rules(object, old));
    return errors;
  }

  /** A list that already had duplicates may keep them. */
  function listTypes(object: KubeObject, old: KubeObject): FieldError[] {
    const errors = validateListTypes(object, schema);
    return errors.length > 0 && validateListTypes(old, schema).length > 0 ? [] : errors;
  }

  return {
    create(object) {
      const errors = validateSchema(object, schema);
      if (scale) errors.push(...validateScale(object, scale, ["spec", "status"]));
      errors.push(...validateEmbeddedResources(object, schema), ...validateListTypes(object, schema));
      return withRules(errors, object);
    },

    update(object, old) {
      const errors = ratchet(validateSchema(object, schema), object, old);
      if (scale) errors.push(...validateScale(object, scale, ["spec", "status"]));
      errors.push(...validateEmbeddedResources(object, schema), ...listTypes(object, old));
      return withRules(errors, object, old);
    },

    status(object, old) {
      const found = "status" in object ? underStatus(validateSchema(object["status"], statusSchema)) : [];
      const errors = ratchet(found, object, old);
      if (scale) errors.push(...validateScale(object, scale, ["status"]));
      errors.push(...listTypes(object, old));
      return withRules(errors, object, old);
    },
  };
}

/** The status is checked by itself: messages name its fields from there, paths from the object's root. */
function underStatus(errors: readonly FieldError[]): FieldError[] {
  return errors.map((error) => ({ ...error, field: error.field === "<nil>" ? "status" : `status.${error.field}` }));
}

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
