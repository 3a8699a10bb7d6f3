import type { IgnitionFile } from "./config.ts";

const prefix = "data:text/plain;charset=utf-8;base64,";

/** A file whose content travels with the configuration. */
export function textFile(path: string, mode: number, text: string): IgnitionFile {
  return { path, mode, contents: { source: `${prefix}${toBase64(text)}` } };
}

/** The text of a file; nothing if it lies elsewhere, is compressed, or is no text. */
export function contentsOf({ contents }: IgnitionFile): string | undefined {
  if (contents?.compression) return undefined;
  if (!contents?.source) return "";
  return dataOf(contents.source);
}

/** `data:,plain%20text` or `data:…;base64,…`. Which kind of text it claims to be does not matter: it is read as UTF-8. */
function dataOf(url: string): string | undefined {
  const comma = url.indexOf(",");
  if (comma < 0 || !/^data:/i.test(url)) return undefined;
  const data = url.slice(comma + 1);
  try {
    return /;base64$/i.test(url.slice(0, comma)) ? fromBase64(data) : decodeURIComponent(data);
  } catch {
    // Neither decoder says beforehand whether it can.
    return undefined;
  }
}

function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  // Nearly every text is ASCII, and as such the binary text already that is made of the bytes of others.
  if (bytes.length === text.length) return btoa(text);
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

function fromBase64(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}
