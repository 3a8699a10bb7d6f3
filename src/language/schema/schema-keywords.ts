import { isObject } from "../object/json.ts";
import { checkDepth } from "./depth.ts";
import { type FieldError, forbidden, invalid, notSupported, required } from "./field-error.ts";
import { child, index, key } from "./path.ts";
import { compilePattern, PatternError } from "./pattern.ts";
import type { Schema } from "./schema.ts";

const types = ["array", "boolean", "integer", "number", "object", "string"];
const unsupported = ["$ref", "id", "additionalItems", "definitions", "dependencies", "patternProperties"];

/** Faults of single keywords of a schema, Kubernetes' extensions included, also within allOf, anyOf, oneOf and not. */
export function checkSchemaKeywords(schema: Schema, path: string, errors: FieldError[], depth = 0): void {
  checkDepth(depth);
  for (const keyword of unsupported)
    if (Object.hasOwn(schema, keyword)) errors.push(forbidden(child(path, keyword), `${keyword} is not supported`));
  if (schema.uniqueItems)
    errors.push(
      forbidden(
        child(path, "uniqueItems"),
        "uniqueItems cannot be set to true since the runtime complexity becomes quadratic",
      ),
    );
  const type: string = schema.type ?? "";
  if (type !== "" && !types.includes(type)) errors.push(notSupported(child(path, "type"), type, types));
  if (type === "null")
    errors.push(forbidden(child(path, "type"), "type cannot be set to null, use nullable as an alternative"));
  checkPattern(schema, path, errors);
  if (schema["x-kubernetes-preserve-unknown-fields"] === false)
    errors.push(invalid(child(path, "x-kubernetes-preserve-unknown-fields"), false, "must be true or undefined"));
  checkMapType(schema, path, errors);
  checkListType(schema, path, errors);

  const { properties, additionalProperties, items, not } = schema;
  for (const name of Object.keys(properties ?? {}).toSorted())
    checkSchemaKeywords(properties![name]!, key(child(path, "properties"), name), errors, depth + 1);
  if (isObject(additionalProperties))
    checkSchemaKeywords(additionalProperties, child(path, "additionalProperties"), errors, depth + 1);
  if (items) checkSchemaKeywords(items, child(path, "items"), errors, depth + 1);
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const)
    for (const [i, part] of (schema[keyword] ?? []).entries())
      checkSchemaKeywords(part, index(child(path, keyword), i), errors, depth + 1);
  if (not) checkSchemaKeywords(not, child(path, "not"), errors, depth + 1);
}

function checkPattern({ pattern }: Schema, path: string, errors: FieldError[]): void {
  if (pattern === undefined) return;
  try {
    compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    errors.push(
      invalid(child(path, "pattern"), pattern, `must be a valid regular expression, but isn't: ${error.message}`),
    );
  }
}

function checkMapType(schema: Schema, path: string, errors: FieldError[]): void {
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType === undefined) return;
  if (mapType !== "atomic" && mapType !== "granular")
    errors.push(notSupported(child(path, "x-kubernetes-map-type"), mapType, ["atomic", "granular"]));
  else if (schema.type !== "object")
    errors.push(
      schema.type
        ? invalid(child(path, "type"), schema.type, "must be object if x-kubernetes-map-type is specified")
        : required(child(path, "type"), "must be object if x-kubernetes-map-type is specified"),
    );
}

function checkListType(schema: Schema, path: string, errors: FieldError[]): void {
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const { items } = schema;
  if (keys.length > 0 && listType !== "map")
    errors.push(
      listType
        ? invalid(
            child(path, "x-kubernetes-list-type"),
            listType,
            "must be map if x-kubernetes-list-map-keys is non-empty",
          )
        : required(child(path, "x-kubernetes-list-type"), "must be map if x-kubernetes-list-map-keys is non-empty"),
    );
  if (listType === undefined) return;
  if (listType !== "atomic" && listType !== "set" && listType !== "map") {
    errors.push(notSupported(child(path, "x-kubernetes-list-type"), listType, ["atomic", "set", "map"]));
    return;
  }
  if (schema.type !== "array")
    errors.push(
      schema.type
        ? invalid(child(path, "type"), schema.type, "must be array if x-kubernetes-list-type is specified")
        : required(child(path, "type"), "must be array if x-kubernetes-list-type is specified"),
    );
  if (!items) return;
  if (listType === "set") checkSet(items, path, errors);
  else if (listType === "map") checkMapList(items, keys, path, errors);
}

function checkSet(items: Schema, path: string, errors: FieldError[]): void {
  const place = child(path, "items");
  if (items.nullable)
    errors.push(forbidden(child(place, "nullable"), "cannot be nullable when x-kubernetes-list-type is set"));
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  if (items.type === "object" && items["x-kubernetes-map-type"] !== "atomic")
    errors.push(invalid(child(place, "x-kubernetes-map-type"), items["x-kubernetes-map-type"], detail));
  if (items.type === "array" && (items["x-kubernetes-list-type"] ?? "atomic") !== "atomic")
    errors.push(invalid(child(place, "x-kubernetes-list-type"), items["x-kubernetes-list-type"], detail));
}

function checkMapList(items: Schema, keys: readonly string[], path: string, errors: FieldError[]): void {
  const place = child(path, "items");
  const field = child(path, "x-kubernetes-list-map-keys");
  if (items.type !== "object") {
    errors.push(
      invalid(child(place, "type"), items.type ?? "", "must be object if parent array's x-kubernetes-list-type is map"),
    );
    return;
  }
  if (keys.length === 0) errors.push(required(field, "must not be empty if x-kubernetes-list-type is map"));
  for (const name of keys) {
    const property = items.properties && Object.hasOwn(items.properties, name) ? items.properties[name] : undefined;
    const propertyPlace = key(child(place, "properties"), name);
    if (!property) errors.push(invalid(field, keys, "entries must all be names of item properties"));
    else if (property.type === "array" || property.type === "object")
      errors.push(
        invalid(
          child(propertyPlace, "type"),
          property.type,
          "must be a scalar type if parent array's x-kubernetes-list-type is map",
        ),
      );
    else if (property.default === undefined && !items.required?.includes(name))
      errors.push(
        required(
          child(propertyPlace, "default"),
          "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property",
        ),
      );
  }
  if (new Set(keys).size < keys.length) errors.push(invalid(field, keys, "must not contain duplicate entries"));
}
