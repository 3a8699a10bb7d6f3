import type { Readable } from "node:stream";
import { extract, type Headers } from "tar-stream";

/** The entries of a tar archive, each with its content. */
export async function* readArchive(archive: Readable): AsyncGenerator<{ header: Headers; bytes: Buffer }> {
  for await (const entry of archive.pipe(extract())) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(part);
    yield { header: entry.header, bytes: Buffer.concat(parts) };
  }
}
