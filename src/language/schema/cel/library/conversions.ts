import { canonicalQuantity, formatQuantity } from "../../../object/quantity.ts";
import { goNumber } from "../../field-error.ts";
import { formatIp } from "../../ip.ts";
import { LibraryBuilder, type Library } from "./overload.ts";
import { checkedInt, nanos, uintOf, unsigned } from "./operators.ts";
import {
  dateIn,
  durationOf,
  parseDuration,
  parseTimestamp,
  showDuration,
  showTimestamp,
  timestampOf,
} from "../time-value.ts";
import {
  bool,
  bytes,
  cidr,
  double,
  duration,
  dyn,
  int,
  ip,
  quantity,
  string,
  timestamp,
  typeType,
  uint,
} from "../type.ts";
import { EvaluationError, kindOf, type Tagged, type Value } from "../value.ts";

/** `int("5")`, `timestamp("…")`, `type(x)`, and the parts of times. */
export function conversions(): Library {
  const library = new LibraryBuilder();
  for (const type of [bool, int, uint, double, string, bytes, timestamp, duration])
    library.function(type.kind, [type], type, ([value]) => value!);
  library
    .function("dyn", [dyn], dyn, ([value]) => value!)
    .function("type", [dyn], typeType, ([value]) => ({ tag: "type", name: typeName(value!) }))
    .function("bool", [string], bool, ([text]) => parseBool(text as string))
    .function("int", [string], int, ([text]) => parseInteger(text as string))
    .function("int", [double], int, ([value]) => truncated(value as number))
    .function("int", [uint], int, ([value]) => checkedInt(unsigned(value!)))
    .function("int", [timestamp], int, ([value]) => nanos(value!) / 1_000_000_000n)
    .function("uint", [int], uint, ([value]) => uintOf(value as bigint))
    .function("uint", [double], uint, ([value]) => uintOf(truncated(value as number)))
    .function("uint", [string], uint, ([text]) => uintOf(parseInteger(text as string)))
    .function("double", [int], double, ([value]) => Number(value))
    .function("double", [uint], double, ([value]) => Number(unsigned(value!)))
    .function("double", [string], double, ([text]) => parseDouble(text as string))
    .function("bytes", [string], bytes, ([text]) => new TextEncoder().encode(text as string))
    .function(
      "timestamp",
      [string],
      timestamp,
      ([text]) => parseTimestamp(text as string) ?? conversionFault("timestamp"),
    )
    .function("timestamp", [int], timestamp, ([value]) => timestampOf((value as bigint) * 1_000_000_000n))
    .function("duration", [string], duration, ([text]) => parseDuration(text as string) ?? conversionFault("duration"))
    .function("duration", [int], duration, ([value]) => durationOf(value as bigint));
  for (const type of [bool, int, uint, double, bytes, timestamp, duration, quantity, ip, cidr])
    library.function("string", [type], string, ([value]) => show(value!));
  timeParts(library);
  return library.build();
}

function timeParts(library: LibraryBuilder): void {
  const parts: [string, (date: Date) => number][] = [
    ["getFullYear", (date) => date.getUTCFullYear()],
    ["getMonth", (date) => date.getUTCMonth()],
    ["getDayOfMonth", (date) => date.getUTCDate() - 1],
    ["getDate", (date) => date.getUTCDate()],
    ["getDayOfWeek", (date) => date.getUTCDay()],
    ["getDayOfYear", dayOfYear],
    ["getHours", (date) => date.getUTCHours()],
    ["getMinutes", (date) => date.getUTCMinutes()],
    ["getSeconds", (date) => date.getUTCSeconds()],
    ["getMilliseconds", (date) => date.getUTCMilliseconds()],
  ];
  for (const [name, part] of parts) {
    const of = (value: Value, zone: string): bigint =>
      BigInt(part(dateIn(nanos(value), zone) ?? fail(`unknown time zone ${zone}`)));
    library.member(name, [timestamp], int, ([value]) => of(value!, ""));
    library.member(name, [timestamp, string], int, ([value, zone]) => of(value!, zone as string));
  }
  for (const [name, unit] of [
    ["getHours", 3_600_000_000_000n],
    ["getMinutes", 60_000_000_000n],
    ["getSeconds", 1_000_000_000n],
    ["getMilliseconds", 1_000_000n],
  ] as const)
    library.member(name, [duration], int, ([value]) => nanos(value!) / unit);
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

const typeNames: Partial<Record<ReturnType<typeof kindOf>, string>> = {
  null: "null_type",
  timestamp: "google.protobuf.Timestamp",
  duration: "google.protobuf.Duration",
  optional: "optional_type",
};

export function typeName(value: Value): string {
  const kind = kindOf(value);
  return typeNames[kind] ?? kind;
}

/** The result of `string(value)`. */
export function show(value: Value): string {
  if (typeof value === "number") return showDouble(value);
  if (value instanceof Uint8Array) return decodeUtf8(value);
  if (typeof value !== "object" || value === null) return String(value);
  const tagged = value as Tagged;
  switch (tagged.tag) {
    case "uint":
      return String(tagged.value);
    case "timestamp":
      return showTimestamp(tagged.nanos);
    case "duration":
      return showDuration(tagged.nanos);
    case "quantity":
      return canonicalQuantity(formatQuantity(tagged.quantity));
    case "ip":
      return formatIp(tagged.ip);
    case "cidr":
      return `${formatIp(tagged.cidr.ip)}/${tagged.cidr.prefix}`;
    default:
      return fail("unsupported conversion to string");
  }
}

function showDouble(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : goNumber(value);
}

function decodeUtf8(value: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(value);
  } catch {
    return fail("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function parseBool(text: string): boolean {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text)) return true;
  if (["0", "f", "F", "false", "FALSE", "False"].includes(text)) return false;
  return conversionFault("bool");
}

function parseInteger(text: string): bigint {
  const value = /^[+-]?\d{1,25}$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
  return value === undefined || BigInt.asIntN(64, value) !== value ? conversionFault("int") : value;
}

function parseDouble(text: string): number {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (!special) return conversionFault("double");
  if (special[2]?.toLowerCase() === "nan") return Number.NaN;
  return special[1] === "-" ? -Infinity : Infinity;
}

function truncated(value: number): bigint {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) fail("integer overflow");
  return BigInt(Math.trunc(value));
}

function conversionFault(to: string): never {
  return fail(`type conversion error from 'string' to '${to}'`);
}

export function fail(message: string): never {
  throw new EvaluationError(message);
}
