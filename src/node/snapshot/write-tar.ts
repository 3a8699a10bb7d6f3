import { pack, type Headers, type Pack } from "tar-stream";
import type { ArchiveEntry } from "./archive-entry.ts";

/** A tar archive that any program reads. The same entries always give the same bytes. */
export async function writeTar(entries: Iterable<ArchiveEntry>): Promise<Buffer> {
  const tar = pack();
  const added = addAll(entries, tar).catch((error: Error) => void tar.destroy(error));
  const parts: Buffer[] = [];
  for await (const part of tar) parts.push(part);
  await added;
  return Buffer.concat(parts);
}

/** One after the other: tar-stream calls itself for every entry that waits. */
async function addAll(entries: Iterable<ArchiveEntry>, tar: Pack): Promise<void> {
  for (const entry of entries)
    await new Promise<void>((resolve, reject) => {
      const bytes = entry.type === "file" ? Buffer.from(entry.bytes) : undefined;
      tar.entry(headersOf(entry), bytes, (error) => (error ? reject(error) : resolve()));
    });
  tar.finalize();
}

function headersOf(entry: ArchiveEntry): Headers {
  const mtime = new Date(0);
  if (entry.type === "file") return { type: "file", name: entry.path, mtime };
  if (entry.type === "folder") return { type: "directory", name: `${entry.path}/`, mtime };
  return { type: "symlink", name: entry.path, linkname: entry.to, mtime };
}
