import type { KubeObject } from "../../../language/object/meta.ts";
import { validateEmbeddedResources } from "../../../language/schema/embedded-resource.ts";
import { collectErrors, counted, type ErrorLimit } from "../../../language/schema/collect-errors.ts";
import { invalid, type FieldError, type FieldErrorReason } from "../../../language/schema/field-error.ts";
import { validateListTypes } from "../../../language/schema/list-type.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { validateSchema } from "../../../language/schema/validate.ts";
import type { Subresource } from "../resource.ts";
import { ratchet } from "./ratchet.ts";
import { validateScale } from "./scale.ts";
import { isObject } from "../../../language/object/json.ts";
import { compileRules, validateRules, type Warn } from "../../../language/schema/validate-rules.ts";

/** Validation of objects of one custom kind. */
export interface ObjectValidation {
  readonly create: (object: KubeObject) => FieldError[];
  readonly update: (object: KubeObject, old: KubeObject, warn?: Warn) => FieldError[];
  /** For updates of the status subresource. */
  readonly status: (object: KubeObject, old: KubeObject, warn?: Warn) => FieldError[];
}

/** Rules rely on the schema, so they do not run on an object with one of these faults. */
const BLOCKING: ReadonlySet<FieldErrorReason> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** An old object may have many errors that an update does not introduce. */
const beforeRatcheting: ErrorLimit = { errors: 10_000, characters: 16 * 1024 * 1024 };

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

  function withRules(errors: FieldError[], object: KubeObject, old?: KubeObject, warn?: Warn): FieldError[] {
    if (!rules) return errors;
    if (errors.some(({ reason }) => BLOCKING.has(reason))) errors.push(NOT_CHECKED);
    else errors.push(...rules(object, old, warn));
    return errors;
  }

  /** Ratcheting: if the old object already had duplicates, they are ignored. */
  function listTypes(object: KubeObject, old: KubeObject): FieldError[] {
    const errors = collectErrors(() => validateListTypes(object, schema));
    if (errors.length > 0 && collectErrors(() => validateListTypes(old, schema)).length > 0) return [];
    return errors.map(counted);
  }

  return {
    create(object) {
      const errors = validateSchema(object, schema);
      if (scale) errors.push(...validateScale(object, scale, ["spec", "status"]));
      errors.push(...validateEmbeddedResources(object, schema), ...validateListTypes(object, schema));
      return withRules(errors, object);
    },

    update(object, old, warn) {
      const found = collectErrors(() => validateSchema(object, schema), beforeRatcheting);
      const errors = ratchet(found, object, old, schema).map(counted);
      if (scale) errors.push(...validateScale(object, scale, ["spec", "status"]));
      errors.push(...validateEmbeddedResources(object, schema), ...listTypes(object, old));
      return withRules(errors, object, old, warn);
    },

    status(object, old, warn) {
      const check = () => ("status" in object ? underStatus(validateSchema(object["status"], statusSchema)) : []);
      const errors = ratchet(collectErrors(check, beforeRatcheting), object, old, schema).map(counted);
      if (scale) errors.push(...validateScale(object, scale, ["status"]));
      errors.push(...listTypes(object, old));
      return withRules(errors, object, old, warn);
    },
  };
}

/** As kube-apiserver: messages name fields relative to the status, paths relative to the object. */
function underStatus(errors: readonly FieldError[]): FieldError[] {
  return errors.map((error) => ({ ...error, field: error.field === "<nil>" ? "status" : `status.${error.field}` }));
}

type RuleCheck = (object: KubeObject, old?: KubeObject, warn?: Warn) => FieldError[];

/** A function that runs the rules of a schema; undefined if it has none. */
export function rulesOf(schema: Schema): RuleCheck | undefined {
  if (!hasRules(schema)) return undefined;
  // Compiled on the first write of the kind, which keeps the start of the server fast.
  let compiled: ReturnType<typeof compileRules> | undefined;
  return (object, old, warn) => {
    compiled ??= compileRules(schema);
    return compiled.errors ?? validateRules(compiled, object, old, warn);
  };
}

function hasRules(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasRules);
  if (!isObject(schema)) return false;
  return Object.entries(schema).some(([key, value]) =>
    key === "x-kubernetes-validations" ? Array.isArray(value) && value.length > 0 : hasRules(value),
  );
}
