import { isObject } from "../../object/json.ts";
import { checkDepth } from "../depth.ts";
import type { Schema } from "../schema.ts";
import { parseDuration, parseTimestamp } from "./time-value.ts";
import { bool, bytes, double, duration, dyn, int, list, map, string, timestamp, type Type } from "./type.ts";
import { EvaluationError, ObjectValue, type Value } from "./value.ts";

/** How an expression sees the values of a schema: their type, and their conversion from JSON. */
export interface Shape {
  readonly type: Type;
  readonly convert: (json: unknown) => Value;
}

/** The schemas that contain a schema, nearest first. */
interface Within {
  readonly schema: Schema;
  readonly depth: number;
  readonly parent: Within | undefined;
}

/**
 * The shape of a schema, or undefined for what expressions cannot see: fields without a type, and fields that only
 * `x-kubernetes-preserve-unknown-fields` allows. A whole object also has apiVersion, kind and the names in its metadata.
 * A schema within itself, as the schema of a CustomResourceDefinition has, is an object without fields, as in kube-apiserver.
 */
export function shapeOf(schema: Schema, name: string, isResource = false, parent?: Within): Shape | undefined {
  const depth = parent ? parent.depth + 1 : 0;
  checkDepth(depth);
  if (contains(parent, schema)) return shapeOfFields(name, new Map());
  const within: Within = { schema, depth, parent };
  if (schema["x-kubernetes-int-or-string"]) return { type: dyn, convert: (json) => scalar(json) };
  switch (schema.type) {
    case "boolean":
      return { type: bool, convert: (json) => scalar(json) };
    case "integer":
      return { type: int, convert: (json) => scalar(json) };
    case "number":
      return {
        type: double,
        convert: (json) => (typeof json === "number" || typeof json === "bigint" ? Number(json) : scalar(json)),
      };
    case "string":
      return text(schema.format);
    case "array": {
      const items = schema.items && shapeOf(schema.items, `${name}.@idx`, false, within);
      return items && { type: list(items.type), convert: (json) => listOf(json, items) };
    }
    case "object":
      return objectOf(within, name, isResource || schema["x-kubernetes-embedded-resource"] === true);
    default:
      return undefined;
  }
}

function scalar(json: unknown): Value {
  if (json === null || typeof json === "string" || typeof json === "boolean" || typeof json === "bigint") return json;
  if (typeof json === "number") return Number.isInteger(json) ? BigInt(json) : json;
  throw new EvaluationError("no such overload");
}

function text(format: string | undefined): Shape {
  const parsed = (type: Type, parse: (json: string) => Value | undefined): Shape => ({
    type,
    convert(json) {
      const value = typeof json === "string" ? parse(json) : null;
      if (value === undefined) throw new EvaluationError(`invalid ${format}: ${String(json)}`);
      return value;
    },
  });
  switch (format) {
    case "date-time":
    case "datetime":
      return parsed(timestamp, parseTimestamp);
    case "date":
      return parsed(timestamp, (json) => parseTimestamp(`${json}T00:00:00Z`));
    case "duration":
      return parsed(duration, parseDuration);
    case "byte":
      return parsed(bytes, fromBase64);
    default:
      return { type: string, convert: (json) => scalar(json) };
  }
}

function fromBase64(encoded: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function listOf(json: unknown, items: Shape): Value {
  if (!Array.isArray(json)) return scalar(json);
  return json.map((item) => items.convert(item));
}

function contains(within: Within | undefined, schema: Schema): boolean {
  for (let outer = within; outer; outer = outer.parent) if (outer.schema === schema) return true;
  return false;
}

function objectOf(within: Within, name: string, isResource: boolean): Shape | undefined {
  const { schema } = within;
  const { additionalProperties } = schema;
  if (isObject(additionalProperties)) {
    const values = shapeOf(additionalProperties, `${name}.@prop`, false, within);
    return values && { type: map(string, values.type), convert: (json) => mapOf(json, values) };
  }
  const fields = new Map<string, { property: string; shape: Shape }>();
  for (const property of Object.keys(schema.properties ?? {})) {
    const shape = shapeOf(schema.properties![property]!, `${name}.${property}`, false, within);
    const escaped = escapeName(property);
    if (shape && escaped !== undefined) fields.set(escaped, { property, shape });
  }
  if (isResource) {
    const plain = text(undefined);
    for (const property of ["apiVersion", "kind"]) fields.set(property, { property, shape: plain });
    fields.set("metadata", { property: "metadata", shape: metadataShape(`${name}.metadata`) });
  }
  return shapeOfFields(name, fields);
}

/** Of metadata, expressions see only `name` and `generateName`. */
function metadataShape(name: string): Shape {
  const plain = text(undefined);
  return shapeOfFields(
    name,
    new Map(["name", "generateName"].map((property) => [property, { property, shape: plain }])),
  );
}

function shapeOfFields(name: string, fields: ReadonlyMap<string, { property: string; shape: Shape }>): Shape {
  const types = new Map<string, Type>();
  for (const [escaped, { shape }] of fields) types.set(escaped, shape.type);
  return {
    type: { kind: "object", name: `object(${name})`, fields: types },
    convert(json) {
      if (!isObject(json)) return scalar(json);
      const values = new Map<string, Value>();
      for (const [escaped, { property, shape }] of fields)
        if (Object.hasOwn(json, property)) values.set(escaped, shape.convert(json[property]));
      return new ObjectValue(values);
    },
  };
}

function mapOf(json: unknown, values: Shape): Value {
  if (!isObject(json)) return scalar(json);
  const entries = new Map<Value, Value>();
  for (const key of Object.keys(json)) entries.set(key, values.convert(json[key]));
  return entries;
}

const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);
const replacements: ReadonlyMap<string, string> = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);

/** The name of a property in expressions: `a-b` is `a__dash__b`. Undefined if the property cannot be named. */
function escapeName(property: string): string | undefined {
  if (reserved.has(property)) return `__${property}__`;
  const escaped = property.replaceAll(/__|[.\-/]/g, (part) => replacements.get(part) ?? part);
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(escaped) ? escaped : undefined;
}
