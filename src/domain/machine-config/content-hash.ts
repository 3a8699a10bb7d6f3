import { canonical } from "../../language/object/json.ts";
import type { MachineContents } from "./machine-contents.ts";

/** A hexadecimal digest of the bytes of all parts, one after the other. */
export type Digest = (parts: Iterable<Uint8Array>) => string;

/**
 * The same for the same contents, however their files are encoded, compressed and ordered. `more` is what counts beside
 * them.
 */
export function contentHash({ files, ...contents }: MachineContents, more: unknown, digest: Digest): string {
  // With the length of each file, so that no two contents have the same bytes.
  const heads = files.map(({ path, mode, user, group, bytes }) => [path, mode, user ?? 0, group ?? 0, bytes.length]);
  const head = new TextEncoder().encode(`${JSON.stringify(heads)}${canonical({ ...contents, more })}`);
  return digest([head, ...files.map(({ bytes }) => bytes)]).slice(0, 32);
}
