import type { Cidr, Ip } from "../ip.ts";
import { formatIp } from "../ip.ts";
import { compareQuantities, type Quantity } from "../../object/quantity.ts";
import type { Scalar, Type } from "./type.ts";

/** What an expression yields. Integers are bigints, so that no number is two types at once. */
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

/** Types that JavaScript has no value of its own for. */
export type Tagged =
  | { readonly tag: "uint"; readonly value: bigint }
  | { readonly tag: "timestamp" | "duration"; readonly nanos: bigint }
  | { readonly tag: "type"; readonly name: string }
  | { readonly tag: "quantity"; readonly quantity: Quantity }
  | { readonly tag: "ip"; readonly ip: Ip }
  | { readonly tag: "cidr"; readonly cidr: Cidr };

/** An object of a schema: only fields that the schema knows can be seen. */
export class ObjectValue {
  readonly fields: ReadonlyMap<string, Value>;

  constructor(fields: ReadonlyMap<string, Value>) {
    this.fields = fields;
  }
}

/** A value of a library's own type, known by the type's name. */
export class OpaqueValue {
  readonly type: string;
  readonly held: unknown;
  /** Two of one type are equal if theirs are; where there is none, nothing is equal but itself. */
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

/** A fault while an expression runs: a missing key, a division by zero. */
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

/** A key as maps keep it: numbers that are equal are the same key, whatever their type. */
export function asKey(value: Value): Value {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === "object" && value !== null && "tag" in value && value.tag === "uint") return value.value;
  return value;
}

export function equals(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return numericOrder(a, b) === 0;
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!equals(a[i]!, b[i]!)) return false;
    return true;
  }
  if (isMap(a)) return isMap(b) && sameEntries(a, b);
  if (a instanceof ObjectValue) return b instanceof ObjectValue && sameEntries(a.fields, b.fields);
  if (a instanceof OptionalValue)
    return (
      b instanceof OptionalValue &&
      (a.value === undefined || b.value === undefined ? a.value === b.value : equals(a.value, b.value))
    );
  if (a instanceof OpaqueValue)
    return b instanceof OpaqueValue && a.type === b.type && a.identity !== undefined && a.identity === b.identity;
  if (a instanceof Uint8Array)
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, i) => byte === b[i]);
  return order(a, b) === 0 || (isTagged(a) && isTagged(b) && sameTagged(a, b));
}

function sameEntries(a: ReadonlyMap<Value, Value>, b: ReadonlyMap<Value, Value>): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !equals(value, other)) return false;
  }
  return true;
}

function isTagged(value: Value): value is Tagged {
  return typeof value === "object" && value !== null && "tag" in value;
}

function sameTagged(a: Tagged, b: Tagged): boolean {
  if (a.tag === "type" && b.tag === "type") return a.name === b.name;
  if (a.tag === "ip" && b.tag === "ip") return a.ip.version === b.ip.version && a.ip.bits === b.ip.bits;
  if (a.tag === "cidr" && b.tag === "cidr")
    return a.cidr.prefix === b.cidr.prefix && formatIp(a.cidr.ip) === formatIp(b.cidr.ip);
  return false;
}

/** Which of two comes first, or undefined where the question makes no sense. */
export function order(a: Value, b: Value): number | undefined {
  if (typeof a === "string" && typeof b === "string") return compareText(a, b);
  if (typeof a === "boolean" && typeof b === "boolean") return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  if (isTagged(a) && isTagged(b)) {
    if ((a.tag === "timestamp" || a.tag === "duration") && b.tag === a.tag) return sign(a.nanos - b.nanos);
    if (a.tag === "quantity" && b.tag === "quantity") return compareQuantities(a.quantity, b.quantity);
  }
  return numericOrder(a, b);
}

function numericOrder(a: Value, b: Value): number | undefined {
  const left = asNumber(a);
  const right = asNumber(b);
  if (left === undefined || right === undefined) return undefined;
  return left < right ? -1 : left > right ? 1 : left == right ? 0 : undefined;
}

function asNumber(value: Value): bigint | number | undefined {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return isTagged(value) && value.tag === "uint" ? value.value : undefined;
}

const sign = (value: bigint): number => (value < 0n ? -1 : value > 0n ? 1 : 0);

/** By code point, as Go compares bytes of UTF-8; JavaScript's own order differs beyond the first plane. */
function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    if (a.charCodeAt(i) === b.charCodeAt(i)) continue;
    return isSurrogate(a.charCodeAt(i)) === isSurrogate(b.charCodeAt(i))
      ? a.charCodeAt(i) - b.charCodeAt(i)
      : isSurrogate(a.charCodeAt(i))
        ? 1
        : -1;
  }
  return a.length - b.length;
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}
