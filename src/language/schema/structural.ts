import { clone, isObject } from "../object/json.ts";
import { applyDefaults } from "./defaults.ts";
import { checkDepth, deeper, type Walk } from "./depth.ts";
import { type FieldError, forbidden, invalid, required } from "./field-error.ts";
import { validateListTypes } from "./list-type.ts";
import { child, index, key } from "./path.ts";
import { pruneUnknown } from "./prune.ts";
import type { Schema } from "./schema.ts";
import { checkSchemaKeywords } from "./schema-keywords.ts";
import { validateSchema } from "./validate.ts";

type Level = "root" | "field" | "item";

const typeMissing: Record<Level, string> = {
  root: "must not be empty at the root",
  field: "must not be empty for specified object fields",
  item: "must not be empty for specified array items",
};

/**
 * Faults of the schema of a custom resource. A structural schema declares the type of every field outside of allOf,
 * anyOf, oneOf and not, which may only narrow it: pruning and defaulting then need not evaluate them.
 */
export function checkStructural(schema: Schema, path: string): FieldError[] {
  const keywords: FieldError[] = [];
  checkSchemaKeywords(schema, path, keywords);
  const structure: FieldError[] = [];
  checkNode(schema, path, "root", { errors: structure, depth: 0 });
  structure.sort((a, b) => compare(`${a.field}: ${a.message}`, `${b.field}: ${b.message}`));
  if (structure.length > 0 || keywords.length > 0) return [...structure, ...keywords];
  const defaults: FieldError[] = [];
  checkDefaults(schema, path, defaults, 0);
  return defaults;
}

function checkNode(schema: Schema, path: string, level: Level, walk: Walk): void {
  const { errors } = walk;
  checkDepth(walk.depth);
  const { type, properties, items, additionalProperties } = schema;
  const intOrString = schema["x-kubernetes-int-or-string"] === true;
  const preserve = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const embedded = schema["x-kubernetes-embedded-resource"] === true;

  if (level === "root" && type && type !== "object")
    errors.push(invalid(child(path, "type"), type, "must be object at the root"));
  if (!type && !intOrString && (level === "root" || !preserve) && !embedded)
    errors.push(required(child(path, "type"), typeMissing[level]));
  if (type === "array" && !items) errors.push(required(child(path, "items"), "must be specified"));
  if (additionalProperties && level === "root")
    errors.push(forbidden(child(path, "additionalProperties"), "must not be used at the root"));
  if (additionalProperties && properties && Object.keys(properties).length > 0)
    errors.push(
      forbidden(child(path, "additionalProperties"), "additionalProperties and properties are mutual exclusive"),
    );
  if (intOrString)
    for (const name of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const)
      if (schema[name])
        errors.push(invalid(child(path, name), true, "must be false if x-kubernetes-int-or-string is true"));
  if (embedded) checkEmbedded(schema, path, errors);
  if (level === "root" || embedded) checkResourceFields(schema, path, level, errors);

  if (properties)
    for (const name of Object.keys(properties))
      checkNode(properties[name]!, key(child(path, "properties"), name), "field", deeper(walk));
  if (isObject(additionalProperties))
    checkNode(additionalProperties, child(path, "additionalProperties"), "field", deeper(walk));
  if (items) checkNode(items, child(path, "items"), "item", deeper(walk));
  checkJunctors(schema, path, schema, walk);
}

function checkEmbedded(schema: Schema, path: string, errors: FieldError[]): void {
  const detail = "must be object if x-kubernetes-embedded-resource is true";
  if (!schema.type) errors.push(required(child(path, "type"), detail));
  else if (schema.type !== "object") errors.push(invalid(child(path, "type"), schema.type, detail));
  if (!schema.properties && !schema["x-kubernetes-preserve-unknown-fields"])
    errors.push(
      required(
        child(path, "properties"),
        "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields",
      ),
    );
}

/** The API server defines apiVersion, kind and metadata; a schema may repeat their types and narrow only names. */
function checkResourceFields(schema: Schema, path: string, level: Level, errors: FieldError[]): void {
  const { properties } = schema;
  if (!properties) return;
  for (const [name, expected] of [
    ["apiVersion", "string"],
    ["kind", "string"],
    ["metadata", "object"],
  ] as const) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!property) continue;
    const place = key(child(path, "properties"), name);
    if (property.type !== expected)
      errors.push(invalid(child(place, "type"), property.type ?? "", `must be ${expected}`));
    if (name !== "metadata" || level !== "root") continue;
    if (property.default !== undefined)
      errors.push(forbidden(child(place, "default"), "must not be set in top-level metadata"));
    if (!namesOnly(property))
      errors.push(
        forbidden(
          place,
          "must not specify anything other than name and generateName, but metadata is implicitly specified",
        ),
      );
  }
}

function namesOnly({ type: _type, default: _default, ...metadata }: Schema): boolean {
  const names = Object.keys(metadata.properties ?? {});
  if (names.length > 0 && names.every((name) => name === "name" || name === "generateName")) return true;
  return names.length === 0 && Object.keys(metadata).every((keyword) => keyword === "properties");
}

function checkJunctors(schema: Schema, path: string, outer: Schema, walk: Walk): void {
  const intOrString = outer["x-kubernetes-int-or-string"] === true;
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
    const parts = schema[keyword] ?? [];
    for (const [i, part] of parts.entries()) {
      const place = index(child(path, keyword), i);
      // The only repetition of types that is allowed: `anyOf: [{type: integer}, {type: string}]` of an int-or-string.
      if (intOrString && keyword === "anyOf" && schema === outer && isIntOrString(parts)) break;
      if (intOrString && keyword === "allOf" && i === 0 && part.anyOf && isIntOrString(part.anyOf)) {
        const { anyOf: _anyOf, ...rest } = part;
        checkNarrowing(rest, place, outer, deeper(walk));
      } else checkNarrowing(part, place, outer, deeper(walk));
    }
  }
  if (schema.not) checkNarrowing(schema.not, child(path, "not"), outer, deeper(walk));
}

function isIntOrString(parts: readonly Schema[]): boolean {
  return (
    parts.length === 2 &&
    parts.every((part, i) => Object.keys(part).length === 1 && part.type === (i === 0 ? "integer" : "string"))
  );
}

const narrowingMustNot = {
  additionalProperties: "must be undefined to be structural",
  default: "must be undefined to be structural",
  description: "must be empty to be structural",
  nullable: "must be false to be structural",
  title: "must be empty to be structural",
  type: "must be empty to be structural",
  "x-kubernetes-embedded-resource": "must be false to be structural",
  "x-kubernetes-int-or-string": "must be false to be structural",
  "x-kubernetes-list-map-keys": "must be empty to be structural",
  "x-kubernetes-list-type": "must be undefined to be structural",
  "x-kubernetes-map-type": "must be undefined to be structural",
  "x-kubernetes-preserve-unknown-fields": "must be false to be structural",
  "x-kubernetes-validations": "must be empty to be structural",
} as const satisfies Partial<Record<keyof Schema, string>>;

function checkNarrowing(part: Schema, path: string, outer: Schema, walk: Walk): void {
  const { errors } = walk;
  checkDepth(walk.depth);
  for (const [keyword, detail] of Object.entries(narrowingMustNot)) {
    const value = part[keyword as keyof Schema];
    if (value !== undefined && value !== false && value !== "") errors.push(forbidden(child(path, keyword), detail));
  }
  for (const name of Object.keys(part.properties ?? {}))
    checkNarrowing(part.properties![name]!, key(child(path, "properties"), name), {}, deeper(walk));
  if (part.items) checkNarrowing(part.items, child(path, "items"), {}, deeper(walk));
  checkJunctors(part, path, outer === part ? outer : {}, deeper(walk));
}

function checkDefaults(schema: Schema, path: string, errors: FieldError[], depth: number): void {
  checkDepth(depth);
  if (schema.default !== undefined && schema.default !== null)
    for (const error of faultsOfDefault(schema, child(path, "default"))) errors.push(error);
  const { properties, additionalProperties, items } = schema;
  if (properties)
    for (const name of Object.keys(properties))
      checkDefaults(properties[name]!, key(child(path, "properties"), name), errors, depth + 1);
  if (isObject(additionalProperties))
    checkDefaults(additionalProperties, child(path, "additionalProperties"), errors, depth + 1);
  if (items) checkDefaults(items, child(path, "items"), errors, depth + 1);
}

function faultsOfDefault(schema: Schema, path: string): FieldError[] {
  const value = clone(schema.default);
  if (pruneUnknown(value, schema).length > 0) return [invalid(path, schema.default, "must not have unknown fields")];
  applyDefaults(value, schema);
  return [...validateSchema(value, schema), ...validateListTypes(value, schema)].map((error) => ({
    ...error,
    field: error.field === "<nil>" ? path : error.field.startsWith("[") ? path + error.field : child(path, error.field),
  }));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
