import type { IgnitionFile } from "./config.ts";

const prefix = "data:text/plain;charset=utf-8;base64,";

/** A file with its content in the configuration. */
export function textFile(path: string, mode: number, text: string): IgnitionFile {
  return { path, mode, contents: { source: `${prefix}${toBase64(text)}` } };
}

/** The text of a file; undefined if it is stored elsewhere, compressed, or not UTF-8. */
export function contentsOf({ contents }: IgnitionFile): string | undefined {
  if (contents?.compression) return undefined;
  if (!contents?.source) return "";
  return dataOf(contents.source);
}

/** `data:,plain%20text` or `data:…;base64,…`. The media type is ignored: the data is read as UTF-8. */
function dataOf(url: string): string | undefined {
  const comma = url.indexOf(",");
  if (comma < 0 || !/^data:/i.test(url)) return undefined;
  const data = url.slice(comma + 1);
  try {
    return /;base64$/i.test(url.slice(0, comma)) ? fromBase64(data) : decodeURIComponent(data);
  } catch {
    // Both decoders throw for invalid data.
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

function fromBase64(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
