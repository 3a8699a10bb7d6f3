import type { Base64Decoder } from "./base64.ts";

export function isDataUrl(url: string): boolean {
  return /^data:/i.test(url);
}

/** The bytes of `data:,plain%20text` or `data:…;base64,…`; undefined if they cannot be decoded. The media type is ignored. */
export function dataOf(url: string, base64: Base64Decoder): Uint8Array | undefined {
  const comma = url.indexOf(",");
  if (comma < 0 || !isDataUrl(url)) return undefined;
  const data = url.slice(comma + 1);
  return /;base64$/i.test(url.slice(0, comma)) ? base64.decode(data) : unescaped(data);
}

/** Percent signs stand for bytes, which need not be UTF-8; every other character is written in UTF-8. */
function unescaped(text: string): Uint8Array | undefined {
  const bytes = new TextEncoder().encode(text);
  if (!text.includes("%")) return bytes;
  let written = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] ?? 0;
    if (byte === 0x25) {
      const digits = String.fromCharCode(bytes[i + 1] ?? 0, bytes[i + 2] ?? 0);
      if (!/^[0-9a-f]{2}$/i.test(digits)) return undefined;
      byte = Number.parseInt(digits, 16);
      i += 2;
    }
    bytes[written++] = byte;
  }
  return bytes.slice(0, written);
}
