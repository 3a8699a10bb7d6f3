import { createHash } from "node:crypto";

/** The hash of a document: its ETag, and the `hash` in its URL. A file of its own: the others are loaded on first use. */
export function contentHash(text: string | Uint8Array): string {
  return createHash("sha512").update(text).digest("hex").toUpperCase();
}
