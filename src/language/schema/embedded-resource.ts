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

/** The objects that fields with `x-kubernetes-embedded-resource` hold. */
export function embeddedResources(value: unknown, schema: Schema): Embedded[] {
  if (!embeds(schema)) return [];
  const found: Embedded[] = [];
  visitEmbedded(value, schema, "", (resource, path) => found.push({ resource, path }));
  return found;
}

const embedding = new WeakMap<Schema, boolean>();

/** Cached per schema: few schemas embed resources, and objects of the others need no walk. */
function embeds(schema: Schema): boolean {
  let known = embedding.get(schema);
  if (known === undefined) embedding.set(schema, (known = searchSchema(schema, 0)));
  return known;
}

function searchSchema(schema: Schema, depth: number): boolean {
  checkDepth(depth);
  const { properties = {}, additionalProperties, items } = schema;
  return (
    schema["x-kubernetes-embedded-resource"] === true ||
    [...Object.values(properties), additionalProperties, items].some(
      (part) => isObject(part) && searchSchema(part, depth + 1),
    )
  );
}

/** Faults of apiVersion, kind and metadata of embedded objects. */
export function validateEmbeddedResources(value: unknown, schema: Schema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  if (embeds(schema)) visitEmbedded(value, schema, path, (resource, at) => checkResource(resource, at, errors));
  return errors;
}

type Visitor = (resource: Record<string, unknown>, path: string) => void;

function visitEmbedded(root: unknown, rootSchema: Schema, rootPath: string, visitor: Visitor): void {
  const visit = (value: unknown, schema: Schema, path: string, depth: number): void => {
    checkDepth(depth);
    if (Array.isArray(value)) {
      const { items } = schema;
      if (items && items.type !== "string" && items.type !== "integer")
        for (let i = 0; i < value.length; i++) visit(value[i], items, index(path, i), depth + 1);
      return;
    }
    if (!isObject(value)) return;
    if (schema["x-kubernetes-embedded-resource"] === true) visitor(value, path);
    const { properties, additionalProperties } = schema;
    for (const name of Object.keys(value)) {
      if (properties && Object.hasOwn(properties, name))
        visit(value[name], properties[name]!, child(path, name), depth + 1);
      else if (isObject(additionalProperties)) visit(value[name], additionalProperties, key(path, name), depth + 1);
    }
  };
  visit(root, rootSchema, rootPath, 0);
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

/** An embedded object may lack a name, and its namespace is not checked. */
function metaErrors(metadata: ObjectMeta, prefix: string): FieldError[] {
  const { namespace: _namespace, ...rest } = metadata;
  const named = { ...rest, name: rest.name || "unnamed" };
  const found = validateObjectMeta(named, { namespaced: false, validateName: pathSegment });
  return found.map((error) => ({ ...error, field: `${prefix}${error.field}` }));
}
