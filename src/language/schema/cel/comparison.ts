import { compareQuantities } from "../../object/quantity.ts";
import { formatIp } from "../ip.ts";
import { charge, type Frame } from "./frame.ts";
import {
  EvaluationError,
  isList,
  isMap,
  isTagged,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  type Tagged,
  type Value,
} from "./value.ts";

/** Whether two values are equal. The cost is the size of what had to be compared. */
export function equals(a: Value, b: Value, frame: Frame, depth = 0): boolean {
  if (typeof a === "string") return typeof b === "string" && a.length === b.length && sameText(a, b, frame);
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return numericOrder(a, b) === 0;
  if (depth > deepest) throw new EvaluationError("values are nested too deeply to be compared");
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false;
    charge(frame, a.length);
    for (let i = 0; i < a.length; i++) if (!equals(a[i]!, b[i]!, frame, depth + 1)) return false;
    return true;
  }
  if (isMap(a)) return isMap(b) && sameEntries(a, b, frame, depth);
  if (a instanceof ObjectValue) return b instanceof ObjectValue && sameEntries(a.fields, b.fields, frame, depth);
  if (a instanceof OptionalValue)
    return (
      b instanceof OptionalValue &&
      (a.value === undefined || b.value === undefined
        ? a.value === b.value
        : equals(a.value, b.value, frame, depth + 1))
    );
  if (a instanceof OpaqueValue)
    return b instanceof OpaqueValue && a.type === b.type && a.identity !== undefined && a.identity === b.identity;
  if (a instanceof Uint8Array) {
    charge(frame, a.length / 10);
    return b instanceof Uint8Array && a.length === b.length && a.every((byte, i) => byte === b[i]);
  }
  return order(a, b) === 0 || (isTagged(a) && isTagged(b) && sameTagged(a, b));
}

const deepest = 500;

function sameText(a: string, b: string, frame: Frame): boolean {
  charge(frame, a.length / 10);
  return a === b;
}

function sameEntries(a: ReadonlyMap<Value, Value>, b: ReadonlyMap<Value, Value>, frame: Frame, depth: number): boolean {
  if (a.size !== b.size) return false;
  charge(frame, a.size);
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !equals(value, other, frame, depth + 1)) return false;
  }
  return true;
}

function sameTagged(a: Tagged, b: Tagged): boolean {
  if (a.tag === "type" && b.tag === "type") return a.name === b.name;
  if (a.tag === "ip" && b.tag === "ip") return a.ip.version === b.ip.version && a.ip.bits === b.ip.bits;
  if (a.tag === "cidr" && b.tag === "cidr")
    return a.cidr.prefix === b.cidr.prefix && formatIp(a.cidr.ip) === formatIp(b.cidr.ip);
  return false;
}

/** The order of two values, or undefined if they cannot be ordered. */
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

/** By code point, as Go compares bytes of UTF-8; JavaScript's `<` compares UTF-16 and differs above U+FFFF. */
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
