import type { IgnitionFile } from "./config.ts";
import { FileDecoder } from "./file-decoder.ts";

const prefix = "data:text/plain;charset=utf-8;base64,";

/** A file with its content in the configuration. */
export function textFile(path: string, mode: number, text: string): IgnitionFile {
  return { path, mode, contents: { source: `${prefix}${toBase64(text)}` } };
}

/** The text of a file; undefined if it is stored elsewhere, damaged, or not UTF-8. */
export function contentsOf({ contents }: IgnitionFile): string | undefined {
  const { source, compression } = contents ?? {};
  const decoded = new FileDecoder().decode({ source: source ?? "", compression: compression ?? "" });
  if (decoded.type === "problem") return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(decoded.bytes);
  } catch {
    // The decoder throws for bytes that are no text.
    return undefined;
  }
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  // btoa takes one character for each byte; an ASCII text is that already.
  if (bytes.length === text.length) return btoa(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
