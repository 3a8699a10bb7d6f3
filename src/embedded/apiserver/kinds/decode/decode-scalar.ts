import { asInteger } from "../../../../language/object/exact-json.ts";
import { canonicalQuantity, QuantityError } from "../../../../language/object/quantity.ts";
import { canonicalBase64 } from "./base64.ts";
import { type Decode, DecodeError } from "./decoding.ts";
import { parseTime } from "./go-time.ts";

export const stringOf =
  (type: string): Decode =>
  (value, decoding) => {
    if (typeof value !== "string") throw decoding.mismatch(value, type);
    return value;
  };

export const boolean: Decode = (value, decoding) => {
  if (typeof value !== "boolean") throw decoding.mismatch(value, "bool");
  return value;
};

export const float: Decode = (value, decoding) => {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "number") throw decoding.mismatch(value, "float64");
  return value;
};

export function integerOf(type: "int32" | "int64"): Decode {
  const limit = type === "int32" ? 2 ** 31 : 2 ** 63;
  return (value, decoding) => {
    if (typeof value !== "number" && typeof value !== "bigint") throw decoding.mismatch(value, type);
    const integer = asInteger(value);
    if (integer === undefined || integer >= limit || integer < -limit) throw decoding.mismatch(value, type, true);
    return integer;
  };
}

const int32 = integerOf("int32");

export const intOrString: Decode = (value, decoding) => (typeof value === "string" ? value : int32(value, decoding));

export const quantity: Decode = (value) => {
  const text =
    typeof value === "string"
      ? value.trim()
      : typeof value === "number" || typeof value === "bigint"
        ? String(value)
        : "";
  try {
    return canonicalQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) throw new DecodeError(error.message, { cause: error });
    throw error;
  }
};

export const bytes: Decode = (value, decoding) => {
  if (typeof value !== "string") throw decoding.mismatch(value, "[]uint8");
  const read = canonicalBase64(value);
  if (read.type === "bad") throw new DecodeError(`illegal base64 data at input byte ${read.at}`);
  return read.text;
};

const timeOf =
  (layout: "seconds" | "micro"): Decode =>
  (value, decoding) => {
    if (typeof value !== "string") throw decoding.mismatch(value, "string");
    const parsed = parseTime(value, layout);
    if (parsed.type === "bad") throw new DecodeError(parsed.message);
    return parsed.text;
  };
export const time = timeOf("seconds");
export const microTime = timeOf("micro");
