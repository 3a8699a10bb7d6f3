import { type Entry, extract } from "tar-stream";
import { type ArchiveEntry, ArchiveError, tidyPath } from "./archive-entry.ts";

export interface ReadTarOptions {
  /** What is kept. Default: everything. */
  readonly wanted?: ((path: string) => boolean) | undefined;
  readonly limits?: Partial<TarLimits> | undefined;
}

/** An archive of a few kilobytes can be made to unpack to as many gigabytes. */
export interface TarLimits {
  /** That are kept in memory. Default 256 MiB. */
  readonly keptBytes: number;
  /** That are read. Default 16 GiB. */
  readonly totalBytes: number;
  /** Default 1,000,000. */
  readonly entries: number;
}

const MiB = 1024 * 1024;
const defaults: TarLimits = { keptBytes: 256 * MiB, totalBytes: 16 * 1024 * MiB, entries: 1_000_000 };
/** Long names and pax records, which tar-stream holds in memory whatever their size, stand between entries. */
const longestGap = 16 * MiB;
/** The kernel's own limit. */
const longestPath = 4096;
/** What ArchiveView takes for each folder on the way to an entry. */
const bytesPerFolder = 256;

/** The entries of a tar archive, in memory: nothing is written to disk. Of a path given twice the last counts. */
export async function readTar(
  source: AsyncIterable<Uint8Array>,
  options: ReadTarOptions = {},
): Promise<ArchiveEntry[]> {
  const reader = new TarReader({ ...defaults, ...options.limits });
  return reader.read(source, options.wanted ?? (() => true));
}

class TarReader {
  readonly #limits: TarLimits;
  readonly #tar = extract({ allowUnknownFormat: true });
  readonly #entries = new Map<string, ArchiveEntry>();
  #kept = 0;
  #count = 0;
  #fed = 0;
  /** Before so many bytes are fed, the next entry must begin. */
  #gapEnds = longestGap;
  /** Why the source ended early. */
  #failure: unknown;

  constructor(limits: TarLimits) {
    this.#limits = limits;
  }

  async read(source: AsyncIterable<Uint8Array>, wanted: (path: string) => boolean): Promise<ArchiveEntry[]> {
    const feeding = this.#feed(source);
    try {
      for await (const entry of this.#tar) await this.#entry(entry, wanted);
    } catch (error) {
      if (error === this.#failure || error instanceof ArchiveError) throw error;
      throw new ArchiveError("not a tar archive, or a damaged one", { cause: error });
    } finally {
      await feeding;
    }
    return [...this.#entries.values()];
  }

  /** Writes the source to tar-stream, no faster than entries are read. Ends early when those are refused. */
  async #feed(source: AsyncIterable<Uint8Array>): Promise<void> {
    const tar = this.#tar;
    const closed = new Promise((resolve) => tar.once("close", resolve));
    try {
      for await (const piece of source) {
        if (tar.destroyed) return;
        this.#allowFed(piece.length);
        if (!tar.write(piece)) await Promise.race([closed, new Promise((resolve) => tar.once("drain", resolve))]);
      }
      tar.end();
    } catch (error) {
      this.#failure = error;
      tar.destroy(error as Error);
    }
  }

  async #entry(entry: Entry, wanted: (path: string) => boolean): Promise<void> {
    const { name, size = 0, type } = entry.header;
    const link = entry.header.linkname ?? "";
    if (!Number.isSafeInteger(size) || size < 0) throw new ArchiveError("an entry of impossible size");
    if (++this.#count > this.#limits.entries)
      throw new ArchiveError(`the archive has more than ${this.#limits.entries} entries`);
    this.#gapEnds = this.#fed + size + longestGap;
    const path = tidyPath(name);
    if (path === undefined) throw new ArchiveError(`an entry's name leads out of the archive: ${JSON.stringify(name)}`);
    if (name.length > longestPath || link.length > longestPath)
      throw new ArchiveError("an entry's name or link is too long");
    if (wanted(path)) {
      const isFile = type === "file" || type === "contiguous-file";
      this.#allowKept(path, isFile ? size : link.length);
      // A file whose name ends in a slash is a folder to old programs.
      if (isFile && !name.endsWith("/")) this.#entries.set(path, { type: "file", path, bytes: await contentOf(entry) });
      else if (type === "directory" || isFile) this.#entries.set(path, { type: "folder", path });
      else if (type === "symlink") this.#entries.set(path, { type: "link", path, to: link });
      else if (type === "link") this.#addHardLink(path, link);
    }
    entry.resume();
  }

  #addHardLink(path: string, link: string): void {
    const before = this.#entries.get(tidyPath(link) ?? "");
    if (before?.type === "file") this.#entries.set(path, { ...before, path });
  }

  #allowKept(path: string, size: number): void {
    this.#kept += size + path.split("/").length * bytesPerFolder;
    if (this.#kept > this.#limits.keptBytes)
      throw new ArchiveError(`the archive unpacks to more than ${this.#limits.keptBytes} bytes`);
  }

  #allowFed(size: number): void {
    if (this.#fed > this.#gapEnds) throw new ArchiveError(`the archive has ${longestGap} bytes without an entry`);
    this.#fed += size;
    if (this.#fed > this.#limits.totalBytes)
      throw new ArchiveError(`the archive unpacks to more than ${this.#limits.totalBytes} bytes`);
  }
}

/** Copied: the pieces are parts of larger ones, which would be kept as a whole. */
async function contentOf(entry: Entry): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of entry) parts.push(part);
  return Buffer.concat(parts);
}
