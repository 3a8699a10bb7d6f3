import type { Cidr, Ip } from "../ip.ts";
import type { Quantity } from "../../object/quantity.ts";
import type { Scalar, Type } from "./type.ts";

/** The value of an expression. An int is a bigint and a double a number, so that the two stay distinct. */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly Value[]
  | ReadonlyMap<Value, Value>
  | Tagged
  | ObjectValue
  | OpaqueValue
  | OptionalValue;

/** Values of types that JavaScript does not have. */
export type Tagged =
  | { readonly tag: "uint"; readonly value: bigint }
  | { readonly tag: "timestamp" | "duration"; readonly nanos: bigint }
  | { readonly tag: "type"; readonly name: string }
  | { readonly tag: "quantity"; readonly quantity: Quantity }
  | { readonly tag: "ip"; readonly ip: Ip }
  | { readonly tag: "cidr"; readonly cidr: Cidr };

/** An object of a schema. It has only the fields that the schema knows. */
export class ObjectValue {
  readonly fields: ReadonlyMap<string, Value>;

  constructor(fields: ReadonlyMap<string, Value>) {
    this.fields = fields;
  }
}

/** A value of a type that a library defines. */
export class OpaqueValue {
  readonly type: string;
  readonly held: unknown;
  /** Two values of one type are equal if their identities are; without an identity, a value equals only itself. */
  readonly identity: string | undefined;

  constructor(type: string, held: unknown, identity?: string) {
    this.type = type;
    this.held = held;
    this.identity = identity;
  }
}

export class OptionalValue {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const none = new OptionalValue(undefined);

/** An error of an evaluation: a missing key, a division by zero. */
export class EvaluationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "EvaluationError";
  }
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isMap(value: Value): value is ReadonlyMap<Value, Value> {
  return value instanceof Map;
}

export function kindOf(value: Value): Exclude<Type["kind"], "dyn"> {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int";
    case "number":
      return "double";
    case "string":
      return "string";
    default:
  }
  if (value === null) return "null";
  if (isList(value)) return "list";
  if (isMap(value)) return "map";
  if (value instanceof Uint8Array) return "bytes";
  if (value instanceof ObjectValue) return "object";
  if (value instanceof OptionalValue) return "optional";
  if (value instanceof OpaqueValue) return "opaque";
  return value.tag satisfies Scalar;
}

export function isTagged(value: Value): value is Tagged {
  return typeof value === "object" && value !== null && "tag" in value;
}

/** A key as stored in a map: equal numbers are the same key, whatever their type. */
export function asKey(value: Value): Value {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === "object" && value !== null && "tag" in value && value.tag === "uint") return value.value;
  return value;
}
