import { isObject, set } from "../../../../language/object/json.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import type { Schema } from "../../../../language/schema/schema.ts";
import type { BuiltinGo } from "../definitions.ts";
import { boolean, bytes, float, integerOf, intOrString, microTime, quantity, stringOf, time } from "./decode-scalar.ts";
import { type Decode, DecodeError, Decoding, jsonType, maxDepth, type Segment } from "./decoding.ts";

export interface Decoded {
  readonly object: KubeObject;
  /** Paths of unknown fields, in the order of the body: `spec.containers[0].bar`. The object does not have them. */
  readonly unknown: string[];
}

/**
 * Decodes JSON as Go does into the kind's struct and back: unknown fields are dropped and reported, null counts as absent,
 * zero values are omitted or written as the struct's tags say, quantities, times and base64 become canonical. The input
 * is not changed and shares nothing with the result. Except with `before`, an object of this kind that is decoded already: what
 * the input shares with it at the same place is part of the result.
 */
export function decodeBuiltin(raw: unknown, schema: Schema, before?: KubeObject): Decoded {
  const decoding = new Decoding(before);
  const decode = structDecoder(schema);
  if (!isObject(raw))
    throw new DecodeError(`json: cannot unmarshal ${jsonType(raw)} into Go value of type ${goType(schema)}`);
  return { object: decode(raw, decoding) as KubeObject, unknown: decoding.unknown };
}

interface Field {
  readonly segment: Segment;
  readonly decode: Decode;
  /** The value written for an absent field; undefined if the field is omitted. */
  readonly absent: unknown;
  /** Whether a zero value is written: the field is a pointer, a struct, or has no omitempty. */
  readonly keepsZero: boolean;
}

interface Struct {
  readonly name: string;
  readonly fields: ReadonlyMap<string, Field>;
  readonly always: readonly (readonly [name: string, zero: unknown])[];
}

const decoders = new WeakMap<Schema, Decode>();

function structDecoder(schema: Schema): Decode {
  const known = decoders.get(schema);
  if (known) return known;
  // Compiled on first use, because a struct may contain itself.
  let struct: Struct | undefined;
  const decode: Decode = (value, decoding) => {
    if (!isObject(value)) throw decoding.mismatch(value, goType(schema));
    return decodeStruct(value, (struct ??= compile(schema, decode)), decoding);
  };
  decoders.set(schema, decode);
  return decode;
}

function decodeStruct(value: Record<string, unknown>, struct: Struct, decoding: Decoding): Record<string, unknown> {
  const { struct: outer, before } = decoding;
  decoding.struct = struct.name;
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const field = struct.fields.get(key);
    if (!field) {
      decoding.reportUnknown(key);
      continue;
    }
    const given = value[key];
    if (given === null || given === undefined) continue;
    decoding.enter(field.segment);
    const decoded = member(given, partOf(before, key), field.decode, decoding);
    decoding.leave();
    if (field.keepsZero || !isZero(decoded)) result[key] = decoded;
  }
  for (const [name, zero] of struct.always) if (result[name] === undefined) result[name] = freshZero(zero);
  decoding.struct = outer;
  return result;
}

/** `before`: what was decoded before at this place. */
function member(value: unknown, before: unknown, decode: Decode, decoding: Decoding): unknown {
  if (value === before && typeof value === "object") return value;
  decoding.before = before;
  return decode(value, decoding);
}

/** A value of another type than its schema has no such part, or one that equals none of the input. */
function partOf(container: unknown, key: string | number): unknown {
  return (container as Readonly<Record<string | number, unknown>> | null | undefined)?.[key];
}

function isZero(value: unknown): boolean {
  if (value === "" || value === 0 || value === false || value === null) return true;
  if (typeof value !== "object") return false;
  return Array.isArray(value) ? value.length === 0 : isEmpty(value);
}

function isEmpty(value: object): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}

function freshZero(zero: unknown): unknown {
  if (!isObject(zero)) return zero;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(zero)) copy[key] = freshZero(zero[key]);
  return copy;
}

function compile(schema: Schema, self: Decode): Struct {
  const go: BuiltinGo = schema.go ?? {};
  const always = Object.entries(go.always ?? {});
  const pointers = new Set(go.pointers);
  const fields = new Map<string, Field>();
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const absent = go.always?.[name];
    // kube-apiserver stores an empty list or map in a field without omitempty as null.
    const collection = field.type === "array" || field.additionalProperties !== undefined;
    // Quantities and IntOrStrings are structs in Go, so omitempty does not omit them.
    const own = field.type === undefined;
    const inline = go.inline?.[name];
    fields.set(name, {
      segment: inline === undefined ? name : { field: name, shown: `${inline}.${name}` },
      // JSONSchemaPropsOrArray and the other unions contain the struct they are a field of.
      decode: field.go?.name?.startsWith("JSONSchemaPropsOr") ? orSelf(self) : decoderOf(field, go.types?.[name]),
      absent,
      keepsZero: !collection && (absent !== undefined || pointers.has(name) || own || isStruct(field)),
    });
  }
  return { name: go.name ?? "", fields, always };
}

const isStruct = (schema: Schema): boolean =>
  schema.properties !== undefined || schema["x-kubernetes-preserve-unknown-fields"] === true;

function orSelf(self: Decode): Decode {
  return (value, decoding) => {
    if (isObject(value)) return self(value, decoding);
    return Array.isArray(value) ? decodeList(value, self, {}, decoding) : copyOpaque(value, decoding.path.length);
  };
}

function decoderOf(schema: Schema, type?: string): Decode {
  if (schema["x-kubernetes-int-or-string"]) return intOrString;
  if (schema.format === "quantity") return quantity;
  if (schema["x-kubernetes-preserve-unknown-fields"])
    return (value, decoding) => copyOpaque(value, decoding.path.length);
  switch (schema.type) {
    case "string":
      if (schema.format === "byte") return bytes;
      if (schema.format === "date-time") return schema.go?.name === "MicroTime" ? microTime : time;
      return stringOf(type ?? "string");
    case "boolean":
      return boolean;
    case "integer":
      return integerOf(schema.format === "int64" ? "int64" : "int32");
    case "number":
      return float;
    case "array":
      return listOf(schema, type);
    default:
      return schema.properties ? structDecoder(schema) : mapOf(schema, type);
  }
}

function listOf(schema: Schema, type?: string): Decode {
  const items = schema.items ?? {};
  let item: Decode | undefined;
  return (value, decoding) => {
    if (!Array.isArray(value)) throw decoding.mismatch(value, type ? `[]${type}` : goType(schema));
    return decodeList(value, (item ??= decoderOf(items, type)), items, decoding);
  };
}

function decodeList(value: readonly unknown[], item: Decode, items: Schema, decoding: Decoding): unknown[] {
  const { before } = decoding;
  const result: unknown[] = [];
  // Scalars have no fields that could be unknown, and Go's errors do not contain the index.
  const structs = !isScalar(items);
  for (let i = 0; i < value.length; i++) {
    if (structs) decoding.enter(i);
    const given = value[i];
    const isNull = given === null || given === undefined;
    result.push(isNull ? zeroOf(items, item, decoding) : member(given, partOf(before, i), item, decoding));
    if (structs) decoding.leave();
  }
  return result;
}

function mapOf(schema: Schema, type = goType(schema)): Decode {
  const values = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  const structs = !isScalar(values);
  let item: Decode | undefined;
  return (value, decoding) => {
    if (!isObject(value)) throw decoding.mismatch(value, type);
    item ??= decoderOf(values);
    const { before } = decoding;
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const given = value[key];
      if (structs) decoding.enter({ key });
      const isNull = given === null || given === undefined;
      set(result, key, isNull ? zeroOf(values, item, decoding) : member(given, partOf(before, key), item, decoding));
      if (structs) decoding.leave();
    }
    return result;
  };
}

function isScalar(schema: Schema): boolean {
  return (
    schema.format === "quantity" || (schema.type !== undefined && schema.type !== "object" && schema.type !== "array")
  );
}

/** Go decodes null inside a list or map to the zero value of the element. */
function zeroOf(schema: Schema, decode: Decode, decoding: Decoding): unknown {
  if (schema.format === "quantity") return "0";
  if (schema["x-kubernetes-int-or-string"]) return 0;
  if (schema.properties) return decode({}, decoding);
  switch (schema.type) {
    case "string":
      return schema.format === "date-time" ? null : "";
    case "boolean":
      return false;
    case "integer":
    case "number":
      return 0;
    default:
      return null;
  }
}

function copyOpaque(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (depth > maxDepth) throw new DecodeError("exceeded max depth");
  if (Array.isArray(value)) return value.map((item) => copyOpaque(item, depth + 1));
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) set(copy, key, copyOpaque((value as Record<string, unknown>)[key], depth + 1));
  return copy;
}

/** The Go type of a schema, as Go prints it in errors. */
function goType(schema: Schema): string {
  if (schema.format === "quantity") return "resource.Quantity";
  if (schema["x-kubernetes-int-or-string"]) return "intstr.IntOrString";
  if (schema.go?.name) return schema.go.name === "RawExtension" ? "runtime.RawExtension" : `v1.${schema.go.name}`;
  switch (schema.type) {
    case "array":
      return `[]${goType(schema.items ?? {})}`;
    case "object":
      return `map[string]${goType(typeof schema.additionalProperties === "object" ? schema.additionalProperties : {})}`;
    case "string":
      return schema.format === "byte" ? "[]uint8" : "string";
    case "boolean":
      return "bool";
    case "integer":
      return schema.format === "int64" ? "int64" : "int32";
    case "number":
      return "float64";
    default:
      return "interface {}";
  }
}
