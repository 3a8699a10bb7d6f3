import { isObject } from "../object/json.ts";
import type { ObjectMeta } from "../object/meta.ts";
import { dns1035Label, pathSegment } from "../object/names.ts";
import { validateObjectMeta } from "../object/validate-meta.ts";
import { checkDepth } from "./depth.ts";
import { type FieldError, invalid } from "./field-error.ts";
import { child, index, key } from "./path.ts";
import type { Schema } from "./schema.ts";

interface Embedded {
  readonly resource: Record<string, unknown>;
  readonly path: string;
}

/** The whole objects that stand inside another. */
export function embeddedResources(value: unknown, schema: Schema): Embedded[] {
  if (!embeds(schema)) return [];
  const found: Embedded[] = [];
  visit(value, schema, "", (resource, path) => found.push({ resource, path }), 0);
  return found;
}

const embedding = new WeakMap<Schema, boolean>();

/** Few schemas embed anything: the others are not worth a walk through each of their objects. */
function embeds(schema: Schema): boolean {
  let known = embedding.get(schema);
  if (known === undefined) embedding.set(schema, (known = lookFor(schema, 0)));
  return known;
}

function lookFor(schema: Schema, depth: number): boolean {
  checkDepth(depth);
  const { properties = {}, additionalProperties, items } = schema;
  return (
    schema["x-kubernetes-embedded-resource"] === true ||
    [...Object.values(properties), additionalProperties, items].some(
      (part) => isObject(part) && lookFor(part, depth + 1),
    )
  );
}

/** Faults of whole objects that stand inside another: their apiVersion, kind and metadata must be such. */
export function validateEmbeddedResources(value: unknown, schema: Schema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  if (embeds(schema)) visit(value, schema, path, (resource, at) => checkResource(resource, at, errors), 0);
  return errors;
}

type Visitor = (resource: Record<string, unknown>, path: string) => void;

function visit(value: unknown, schema: Schema, path: string, meet: Visitor, depth: number): void {
  checkDepth(depth);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items && items.type !== "string" && items.type !== "integer")
      for (let i = 0; i < value.length; i++) visit(value[i], items, index(path, i), meet, depth + 1);
    return;
  }
  if (!isObject(value)) return;
  if (schema["x-kubernetes-embedded-resource"] === true) meet(value, path);
  const { properties, additionalProperties } = schema;
  for (const name of Object.keys(value)) {
    if (properties && Object.hasOwn(properties, name))
      visit(value[name], properties[name]!, child(path, name), meet, depth + 1);
    else if (isObject(additionalProperties)) visit(value[name], additionalProperties, key(path, name), meet, depth + 1);
  }
}

function checkResource(resource: Record<string, unknown>, path: string, errors: FieldError[]): void {
  const { apiVersion, kind, metadata } = resource;
  if (typeof apiVersion === "string") {
    const field = child(path, "apiVersion");
    if (apiVersion === "") errors.push(invalid(field, apiVersion, "must not be empty"));
    else if (apiVersion.split("/").length > 2)
      errors.push(invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else if (apiVersion !== undefined) errors.push(invalid(child(path, "apiVersion"), apiVersion, "must be a string"));

  if (typeof kind === "string") {
    const field = child(path, "kind");
    if (kind === "") errors.push(invalid(field, kind, "must not be empty"));
    else
      for (const reason of dns1035Label(kind.toLowerCase()))
        errors.push(invalid(field, kind, `may have mixed case, but should otherwise match: ${reason}`));
  } else if (kind !== undefined) errors.push(invalid(child(path, "kind"), kind, "must be a string"));

  if (isObject(metadata)) for (const error of metaErrors(metadata, child(path, ""))) errors.push(error);
  else if (metadata !== undefined) errors.push(invalid(child(path, "metadata"), metadata, "must be an object"));
}

/** An embedded object may lack a name, and has no namespace of its own to be checked. */
function metaErrors(metadata: ObjectMeta, prefix: string): FieldError[] {
  const { namespace: _namespace, ...rest } = metadata;
  const named = { ...rest, name: rest.name || "unnamed" };
  const found = validateObjectMeta(named, { namespaced: false, validateName: pathSegment });
  return found.map((error) => ({ ...error, field: `${prefix}${error.field}` }));
}
