import type { Schema } from "./schema.ts";

/** A generated definition: a schema that refers to other definitions by `$ref`. */
export interface RawSchema extends Omit<
  Schema,
  "properties" | "items" | "additionalProperties" | "allOf" | "anyOf" | "oneOf" | "not"
> {
  $ref?: string;
  properties?: Record<string, RawSchema>;
  items?: RawSchema;
  additionalProperties?: RawSchema | boolean;
  allOf?: RawSchema[];
  anyOf?: RawSchema[];
  oneOf?: RawSchema[];
  not?: RawSchema;
}

/**
 * Turns definitions that refer to each other into schemas that contain each other, cycles included. A reference beside
 * other keywords (`allOf: [{$ref}]` with a description or default, as OpenAPI v3 writes it) becomes a shallow copy of its
 * target, overlaid with those keywords. Each definition is linked on first use, which keeps the start of the server fast.
 */
export function linkDefinitions(definitions: Readonly<Record<string, RawSchema>>): Record<string, Schema> {
  const linked = new Map<string, Schema>();

  function definition(name: string): Schema {
    const known = linked.get(name);
    if (known) return known;
    const raw = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (!raw) throw new Error(`link schemas: no definition named ${name}`);
    const schema: Schema = {};
    linked.set(name, schema);
    fill(schema, raw);
    return schema;
  }

  function link(raw: RawSchema): Schema {
    const target = targetOf(raw);
    if (target !== undefined && Object.keys(raw).length === 1) return definition(target);
    const schema: Schema = {};
    if (target === undefined) fill(schema, raw);
    else overlay(schema, raw, target);
    return schema;
  }

  function overlay(schema: Schema, raw: RawSchema, target: string): void {
    const base = definition(target);
    for (const name of Object.keys(base)) lazily(schema, name, () => base[name as keyof Schema]);
    const { $ref: _reference, allOf: _references, ...keywords } = raw;
    fill(schema, keywords);
  }

  function fill(schema: Schema, raw: RawSchema): void {
    const { properties, items, additionalProperties, allOf, anyOf, oneOf, not, $ref, ...rest } = raw;
    if ($ref !== undefined) throw new Error(`link schemas: a definition is only a reference to ${$ref}`);
    for (const [name, value] of Object.entries(rest)) lazily(schema, name, () => value);
    if (properties) {
      const schemas = Object.create(null) as Record<string, Schema>;
      for (const name of Object.keys(properties)) lazily(schemas, name, () => link(properties[name]!));
      lazily(schema, "properties", () => schemas);
    }
    if (items) lazily(schema, "items", () => link(items));
    if (typeof additionalProperties === "object")
      lazily(schema, "additionalProperties", () => link(additionalProperties));
    else if (additionalProperties !== undefined) lazily(schema, "additionalProperties", () => additionalProperties);
    for (const [name, schemas] of Object.entries({ allOf, anyOf, oneOf }))
      if (schemas) lazily(schema, name, () => schemas.map(link));
    if (not) lazily(schema, "not", () => link(not));
  }

  const result: Record<string, Schema> = Object.create(null) as Record<string, Schema>;
  for (const name of Object.keys(definitions)) lazily(result, name, () => definition(name));
  return result;
}

function targetOf({ $ref, allOf }: RawSchema): string | undefined {
  const reference = $ref ?? (allOf?.length === 1 ? allOf[0]?.$ref : undefined);
  return reference?.slice(reference.lastIndexOf("/") + 1);
}

/** Defines a property that is computed on first use and is a plain value afterwards. */
function lazily(target: object, name: string, compute: () => unknown): void {
  Object.defineProperty(target, name, {
    configurable: true,
    enumerable: true,
    get() {
      const value = compute();
      Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
      return value;
    },
  });
}
