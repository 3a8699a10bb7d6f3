import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { type ArchiveEntry, ArchiveError } from "./archive-entry.ts";
import { readTar, type ReadTarOptions } from "./read-tar.ts";

/** The entries of a tar archive, gzipped or not. Throws an ArchiveError for anything else. */
export async function readArchive(
  source: AsyncIterable<Uint8Array>,
  options: ReadTarOptions = {},
): Promise<ArchiveEntry[]> {
  const pieces = source[Symbol.asyncIterator]();
  const { value: first, done } = await pieces.next();
  if (done) throw new ArchiveError("the archive is empty");
  const whole = rejoined(first, pieces);
  if (first[0] !== 0x1f || first[1] !== 0x8b) return readTar(whole, options);
  const gunzip = createGunzip();
  // readTar gets the error from gunzip.
  pipeline(Readable.from(whole), gunzip, () => {});
  try {
    return await readTar(gunzip, options);
  } catch (error) {
    if (isZlib(error)) throw new ArchiveError(`the archive is damaged: ${error.message}`, { cause: error });
    throw error;
  }
}

async function* rejoined(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    for (;;) {
      const { value, done } = await rest.next();
      if (done) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}

function isZlib(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
