import { Base64Decoder } from "../../../language/ignition/base64.ts";
import { gunzip } from "../../../language/ignition/gunzip.ts";

/** Compresses with gzip. Passed in: pure code has no compressor. */
export type Compress = (bytes: Uint8Array) => Uint8Array;

/** Compressed text of a few kilobytes can stand for gigabytes. */
const mostBytes = 16 * 1024 * 1024;

export type Unpacked =
  | { readonly type: "text"; readonly text: string }
  /** The rest of a sentence about the packed text. */
  | { readonly type: "problem"; readonly problem: string };

/** gzip in base64. */
export function packText(text: string, compress: Compress): string {
  let binary = "";
  // btoa takes one character for each byte, and a call takes only so many arguments.
  const bytes = compress(new TextEncoder().encode(text));
  for (let i = 0; i < bytes.length; i += 0x8000) binary += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(binary);
}

export function unpackText(packed: string): Unpacked {
  const bytes = new Base64Decoder().decode(packed);
  if (!bytes) return { type: "problem", problem: "is not base64" };
  const unpacked = gunzip(bytes, mostBytes);
  if (unpacked.type === "problem") return unpacked;
  try {
    return { type: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(unpacked.bytes) };
  } catch (error) {
    if (error instanceof TypeError) return { type: "problem", problem: "is not UTF-8" };
    throw error;
  }
}
