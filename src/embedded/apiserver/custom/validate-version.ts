import { get, equal } from "../../../language/object/json.ts";
import {
  duplicate,
  forbidden,
  invalid,
  required,
  tooMany,
  type FieldError,
} from "../../../language/schema/field-error.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import type { DefinitionVersion, PrinterColumn, ScalePaths } from "./definition.ts";
import { compileRules } from "../../../language/schema/validate-rules.ts";
import { DefaultsTooLargeError } from "../../../language/schema/defaults.ts";
import { TooDeepError } from "../../../language/schema/depth.ts";
import { checkStructural } from "../../../language/schema/structural.ts";

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];
const MAX_SELECTABLE_FIELDS = 8;

/** The fields that the root of a schema may have with a status subresource, as kube-apiserver prints them. */
const ROOT_FIELDS =
  "Description,Type,Format,Title,Maximum,ExclusiveMaximum,Minimum,ExclusiveMinimum,MaxLength,MinLength,Pattern,MaxItems,MinItems,UniqueItems,MultipleOf,Required,Items,Properties,ExternalDocs,Example,XPreserveUnknownFields,XValidations".split(
    ",",
  );
const BEYOND_ROOT: readonly (keyof Schema)[] = [
  "default",
  "enum",
  "additionalProperties",
  "minProperties",
  "maxProperties",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
];

export function validateRootSchema(schema: Schema, hasStatus: boolean, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (hasStatus && BEYOND_ROOT.some((field) => schema[field] !== undefined)) {
    const allowed = `[${ROOT_FIELDS.join(" ")}]`;
    const why = `only ${allowed} fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.push(invalid(path, schema, why));
  }
  if (schema.nullable) errors.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  return errors;
}

export function validateDeprecation(version: DefinitionVersion, path: string): FieldError[] {
  const warning = version.deprecationWarning;
  if (warning === undefined) return [];
  const field = `${path}.deprecationWarning`;
  if (!version.deprecated) return [invalid(field, warning, "can only be set for deprecated versions")];
  const errors: FieldError[] = [];
  if (warning.length > 256) errors.push(invalid(field, warning, "must be <= 256 characters long"));
  // eslint-disable-next-line no-control-regex -- a warning is sent as a header, which must not contain control characters
  const control = warning.search(/[\u0000-\u001f\u007f-\u009f]/);
  if (control >= 0)
    errors.push(
      invalid(
        field,
        warning,
        `must only contain printable UTF-8 characters; non-printable character found at index ${control}`,
      ),
    );
  return errors;
}

export function validateColumn(column: Partial<PrinterColumn>, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const types = `must be one of ${COLUMN_TYPES.join(",")}`;
  if (!column.name) errors.push(required(`${path}.name`));
  if (!column.type) errors.push(required(`${path}.type`, types));
  else if (!COLUMN_TYPES.includes(column.type)) errors.push(invalid(`${path}.type`, column.type, types));
  if (column.format && !COLUMN_FORMATS.includes(column.format))
    errors.push(invalid(`${path}.format`, column.format, `must be one of ${COLUMN_FORMATS.join(",")}`));
  if (!column.jsonPath) errors.push(required(`${path}.JSONPath`));
  else errors.push(...validateSimplePath(column.jsonPath, `${path}.JSONPath`));
  return errors;
}

export function validateScalePaths(scale: ScalePaths, path: string): FieldError[] {
  const check = (field: keyof ScalePaths, roots: readonly string[], where: string): FieldError[] => {
    const value = scale[field];
    if (!value) return field === "labelSelectorPath" ? [] : [required(`${path}.${field}`)];
    const errors = validateSimplePath(value, `${path}.${field}`);
    if (errors.length > 0 || roots.some((root) => value.startsWith(root))) return errors;
    return [invalid(`${path}.${field}`, value, `should be a json path under ${where}`)];
  };
  return [
    ...check("specReplicasPath", [".spec."], ".spec"),
    ...check("statusReplicasPath", [".status."], ".status"),
    ...check("labelSelectorPath", [".spec.", ".status."], "either .spec or .status"),
  ];
}

function validateSimplePath(value: string, path: string): FieldError[] {
  return value.startsWith(".") ? [] : [invalid(path, value, "must be a simple json path starting with .")];
}

export function validateSelectableFields(
  fields: readonly { jsonPath?: string }[],
  schema: Schema,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const field = `${path}[${i}].jsonPath`;
    if (!jsonPath) {
      errors.push(required(field));
      continue;
    }
    const target = fieldOf(schema, jsonPath);
    if (typeof target === "string") {
      errors.push(invalid(field, jsonPath, `is an invalid path: ${target}`));
      continue;
    }
    if (jsonPath === ".metadata" || jsonPath.startsWith(".metadata."))
      errors.push(invalid(field, jsonPath, "must not point to fields in metadata"));
    if (target.type !== "string" && target.type !== "boolean" && target.type !== "integer")
      errors.push(
        invalid(
          field,
          jsonPath,
          "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
        ),
      );
    if (seen.has(jsonPath)) errors.push(duplicate(field, jsonPath));
    seen.add(jsonPath);
  }
  if (seen.size > MAX_SELECTABLE_FIELDS) errors.push(tooMany(path, seen.size, MAX_SELECTABLE_FIELDS));
  return errors;
}

/** The schema of the field that a path of plain names leads to, or why there is none. */
function fieldOf(schema: Schema, path: string): Schema | string {
  if (path.includes("[")) return "array notation is not allowed";
  const [first = "", ...names] = path.split(".");
  if (first !== "") return `expected [ or . but got: ${first}`;
  let found: Schema = schema;
  for (const name of names) {
    const child = get(found.properties, name);
    if (child === undefined) return "does not refer to a valid field";
    found = child as Schema;
  }
  return found;
}

/** Faults of the schema of a version. An unchanged schema is not validated again. */
export function validateVersionSchema(schema: Schema, path: string, before: Schema | undefined): FieldError[] {
  if (before && equal(schema, before)) return [];
  try {
    const errors = checkStructural(schema, path);
    // Rules get their types from the schema, so they are compiled only if it is structural.
    return errors.length > 0 ? errors : (compileRules(schema, path).errors ?? []);
  } catch (error) {
    if (error instanceof TooDeepError || error instanceof DefaultsTooLargeError)
      return [invalid(path, "", error.message)];
    throw error;
  }
}
