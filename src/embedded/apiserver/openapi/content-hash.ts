import { createHash } from "node:crypto";

/** Of a served document: its ETag, and the `hash` in its URL. */
export function contentHash(text: string | Uint8Array): string {
  return createHash("sha512").update(text).digest("hex").toUpperCase();
}
