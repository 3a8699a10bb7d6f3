/** One thing in an archive. Paths are relative and tidy: `proc/cpuinfo`. */
export type ArchiveEntry =
  | { readonly type: "file"; readonly path: string; readonly bytes: Uint8Array }
  | { readonly type: "folder"; readonly path: string }
  /** `to` as it stands in the link: relative to the folder that it is in, or absolute. */
  | { readonly type: "link"; readonly path: string; readonly to: string };

/** An archive that is damaged, or that wants more than it may. */
export class ArchiveError extends Error {
  override readonly name = "ArchiveError";
}

/** Of a name in an archive: `./proc//cpuinfo` is `proc/cpuinfo`. Names that lead out of the archive have no path. */
export function tidyPath(name: string): string | undefined {
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..") || name.includes("\0") ? undefined : parts.join("/");
}
