import { canonical } from "../../language/object/json.ts";
import type { MachineContents } from "./machine-contents.ts";

/** A hexadecimal digest of the bytes of all parts, one after the other. */
export type Digest = (parts: Iterable<Uint8Array>) => string;

/**
 * The same for the same contents, however their files are encoded, compressed and ordered. `more` is what counts beside
 * them.
 */
export function contentHash(contents: MachineContents, more: unknown, digest: Digest): string {
  const files = contents.files.map(({ bytes, ...file }) => ({ ...file, length: bytes.length }));
  // The lengths say where each file begins.
  const head = new TextEncoder().encode(`${canonical({ ...contents, files, more })}\n`);
  return digest([head, ...contents.files.map(({ bytes }) => bytes)]).slice(0, 32);
}
