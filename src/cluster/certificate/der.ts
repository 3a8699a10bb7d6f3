/** The ASN.1 types that a certificate uses, in the distinguished encoding rules (X.690). */

function tagged(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), content]);
}

export const sequence = (...items: readonly Uint8Array[]): Buffer => tagged(0x30, Buffer.concat(items));

export const set = (...items: readonly Uint8Array[]): Buffer => tagged(0x31, Buffer.concat(items));

export const boolean = (value: boolean): Buffer => tagged(0x01, Buffer.from([value ? 0xff : 0]));

export const octetString = (bytes: Uint8Array): Buffer => tagged(0x04, bytes);

export const utf8String = (text: string): Buffer => tagged(0x0c, Buffer.from(text, "utf8"));

/** `[number]` around a complete value. */
export const explicit = (number: number, content: Uint8Array): Buffer => tagged(0xa0 | number, content);

/** `[number]` in place of the tag of a primitive value. */
export const implicit = (number: number, content: Uint8Array): Buffer => tagged(0x80 | number, content);

/** An unsigned integer from big-endian bytes: no leading zeros except the one that keeps it positive. */
export function unsignedInteger(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.length === 0 ? Buffer.from([0]) : bytes.subarray(start);
  const positive = (digits[0] ?? 0) < 0x80 ? digits : Buffer.concat([Buffer.from([0]), digits]);
  return tagged(0x02, positive);
}

export const bitString = (bytes: Uint8Array, unusedBits = 0): Buffer =>
  tagged(0x03, Buffer.concat([Buffer.from([unusedBits]), bytes]));

/** `2.5.4.3` → its encoding: the first two arcs share a byte, the rest are base 128 with continuation bits. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const digits = [arc & 0x7f];
    for (let left = arc >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return tagged(0x06, Buffer.from(bytes));
}

/** RFC 5280: a two-digit year (UTCTime) until 2049, a four-digit one (GeneralizedTime) from 2050. */
export function time(millis: number): Buffer {
  const date = new Date(millis);
  const digits = date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, "");
  return date.getUTCFullYear() < 2050
    ? tagged(0x17, Buffer.from(`${digits.slice(2)}Z`, "latin1"))
    : tagged(0x18, Buffer.from(`${digits}Z`, "latin1"));
}
