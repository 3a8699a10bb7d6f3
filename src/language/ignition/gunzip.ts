import { Inflater, InflateError } from "./inflate.ts";

export type Gunzipped =
  | { readonly type: "bytes"; readonly bytes: Uint8Array }
  /** The rest of a sentence about the compressed data. */
  | { readonly type: "problem"; readonly problem: string };

/** RFC 1952: one or more members. The result is at most `limit` bytes, checked while it is made. */
export function gunzip(input: Uint8Array, limit: number): Gunzipped {
  const members: Uint8Array[] = [];
  let left = limit;
  try {
    let position = 0;
    do {
      const { bytes, end } = member(input, position, left);
      members.push(bytes);
      left -= bytes.length;
      position = end;
    } while (position < input.length);
  } catch (error) {
    if (!(error instanceof InflateError)) throw error;
    return { type: "problem", problem: error.message };
  }
  return { type: "bytes", bytes: joined(members) };
}

function member(input: Uint8Array, start: number, limit: number): { bytes: Uint8Array; end: number } {
  const { bytes, end } = new Inflater(input, endOfHeader(input, start), limit).run();
  if (end + 8 > input.length) throw new InflateError("ends too early");
  const trailer = new DataView(input.buffer, input.byteOffset + end, 8);
  const isIntact = trailer.getUint32(0, true) === checksum(bytes) && trailer.getUint32(4, true) === bytes.length;
  if (!isIntact) throw new InflateError("does not match its checksum");
  return { bytes, end: end + 8 };
}

const flags = { headerChecksum: 2, extra: 4, name: 8, comment: 16 } as const;

function endOfHeader(input: Uint8Array, start: number): number {
  if (input[start] !== 0x1f || input[start + 1] !== 0x8b || input[start + 2] !== 8)
    throw new InflateError("is not compressed with gzip");
  const flag = input[start + 3] ?? 0;
  let position = start + 10;
  if (flag & flags.extra) position += 2 + (input[position] ?? 0) + (input[position + 1] ?? 0) * 256;
  for (const text of [flags.name, flags.comment])
    if (flag & text) {
      const end = input.indexOf(0, position);
      if (end < 0) throw new InflateError("ends too early");
      position = end + 1;
    }
  return flag & flags.headerChecksum ? position + 2 : position;
}

const polynomial = 0xedb88320;
const checksums = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  return value;
});

function checksum(bytes: Uint8Array): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (checksums[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let position = 0;
  for (const part of parts) {
    whole.set(part, position);
    position += part.length;
  }
  return whole;
}
