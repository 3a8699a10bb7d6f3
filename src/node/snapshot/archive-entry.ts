/** One entry of an archive. Paths are relative and normalised: `proc/cpuinfo`. */
export type ArchiveEntry =
  | { readonly type: "file"; readonly path: string; readonly bytes: Uint8Array }
  | { readonly type: "folder"; readonly path: string }
  /** `to` is the target as stored: relative to the folder of the link, or absolute. */
  | { readonly type: "link"; readonly path: string; readonly to: string };

/** An archive that is damaged, or exceeds a limit. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

/** `./proc//cpuinfo` → `proc/cpuinfo`; undefined for a name that leads out of the archive. */
export function tidyPath(name: string): string | undefined {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..") || name.includes("\0") ? undefined : parts.join("/");
}
