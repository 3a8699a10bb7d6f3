import type { ArchiveEntry } from "./archive-entry.ts";
import { writePaxRecord } from "./pax-records.ts";
import { blockSize, writeHeader } from "./tar-header.ts";

/** A tar archive, block by block, that any program reads. The same entries are always the same bytes. */
export function* writeTar(entries: Iterable<ArchiveEntry>): Generator<Uint8Array> {
  for (const entry of entries) {
    const name = entry.type === "folder" ? `${entry.path}/` : entry.path;
    const link = entry.type === "link" ? entry.to : "";
    const bytes = entry.type === "file" ? entry.bytes : new Uint8Array();
    const records = [
      ...(fits(name) ? [] : [writePaxRecord("path", name)]),
      ...(fits(link) ? [] : [writePaxRecord("linkpath", link)]),
    ];
    if (records.length > 0) {
      const said = Buffer.concat(records);
      yield writeHeader({ name: "PaxHeader", size: said.length, type: "x", link: "" });
      yield* padded(said);
    }
    yield writeHeader({
      name: fits(name) ? name : "long-name",
      size: bytes.length,
      type: types[entry.type],
      link: fits(link) ? link : "long-link",
    });
    yield* padded(bytes);
  }
  // Two blocks of zeros end an archive.
  yield new Uint8Array(2 * blockSize);
}

const types = { file: "0", link: "2", folder: "5" } as const;

function fits(name: string): boolean {
  return Buffer.byteLength(name) <= 100;
}

function* padded(bytes: Uint8Array): Generator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
  const rest = bytes.length % blockSize;
  if (rest > 0) yield new Uint8Array(blockSize - rest);
}
