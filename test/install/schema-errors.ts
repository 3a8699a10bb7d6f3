import { isObject } from "../../src/language/object/json.ts";

export type Components = Readonly<Record<string, OpenApiSchema>>;

export interface OpenApiSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly items?: OpenApiSchema;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
}

/** What a strict schema check finds, as kubeconform does it: a wrong type, a missing field, a field that does not exist. */
export function schemaErrors(value: unknown, schema: OpenApiSchema, of: Components, path = ""): string[] {
  const same = (one: OpenApiSchema): string[] => schemaErrors(value, one, of, path);
  if (schema.$ref !== undefined) return same(of[schema.$ref.slice("#/components/schemas/".length)] ?? {});
  if (schema.allOf) return schema.allOf.flatMap(same);
  if (schema.oneOf) return schema.oneOf.some((one) => same(one).length === 0) ? [] : [`${path}: matches no schema`];
  if (schema.enum && !schema.enum.includes(value)) return [`${path}: ${JSON.stringify(value)} is not allowed`];
  if (schema.type !== undefined && !hasType(value, schema.type)) return [`${path}: not of type ${schema.type}`];
  if (Array.isArray(value))
    return value.flatMap((item, index) => schemaErrors(item, schema.items ?? {}, of, `${path}[${index}]`));
  return isObject(value) ? objectErrors(value, schema, of, path) : [];
}

function objectErrors(value: object, schema: OpenApiSchema, of: Components, path: string): string[] {
  const { properties, additionalProperties, required = [] } = schema;
  const missing = required.filter((name) => !(name in value)).map((name) => `${path}.${name}: missing`);
  const found = Object.entries(value).flatMap(([name, field]) => {
    const one = properties?.[name] ?? additionalProperties;
    if (typeof one === "object") return schemaErrors(field, one, of, `${path}.${name}`);
    return one === true || !properties ? [] : [`${path}.${name}: unknown`];
  });
  return [...missing, ...found];
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
