import { pack, type Headers, type Pack } from "tar-stream";
import type { ArchiveEntry } from "./archive-entry.ts";

/** What an entry of a tar archive is, and the content of a file. */
export type TarEntry = readonly [headers: Headers, bytes?: Buffer | undefined];

/** A tar archive that any program reads. The same entries always give the same bytes. */
export async function writeTar(entries: Iterable<ArchiveEntry>): Promise<Buffer> {
  return packTar(Array.from(entries, tarEntry));
}

/** A tar archive with these entries, in their order. */
export async function packTar(entries: Iterable<TarEntry>): Promise<Buffer> {
  const tar = pack();
  const added = addAll(entries, tar).catch((error: Error) => void tar.destroy(error));
  const parts: Buffer[] = [];
  for await (const part of tar) parts.push(part);
  await added;
  return Buffer.concat(parts);
}

/** One after the other: tar-stream calls itself for every entry that waits. */
async function addAll(entries: Iterable<TarEntry>, tar: Pack): Promise<void> {
  for (const [headers, bytes] of entries)
    await new Promise<void>((resolve, reject) => {
      tar.entry(headers, bytes, (error) => (error ? reject(error) : resolve()));
    });
  tar.finalize();
}

function tarEntry(entry: ArchiveEntry): TarEntry {
  const mtime = new Date(0);
  if (entry.type === "file") return [{ type: "file", name: entry.path, mtime }, Buffer.from(entry.bytes)];
  if (entry.type === "folder") return [{ type: "directory", name: `${entry.path}/`, mtime }];
  return [{ type: "symlink", name: entry.path, linkname: entry.to, mtime }];
}
