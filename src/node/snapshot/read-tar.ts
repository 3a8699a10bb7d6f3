import { type ArchiveEntry, ArchiveError, tidyPath } from "./archive-entry.ts";
import { ByteQueue } from "./byte-queue.ts";
import { readPaxRecords } from "./pax-records.ts";
import { blockSize, notTar, readHeader, type TarHeader } from "./tar-header.ts";

export interface ReadTarOptions {
  /** What is kept. Default: everything. */
  readonly wanted?: (path: string) => boolean;
  readonly limits?: Partial<TarLimits>;
}

/** An archive of a few kilobytes can be made to unpack to as many gigabytes. */
export interface TarLimits {
  /** That are kept in memory. Default 256 MiB. */
  readonly keptBytes: number;
  /** That are looked through. Default 16 GiB. */
  readonly totalBytes: number;
  /** Default 1,000,000. */
  readonly entries: number;
}

const MiB = 1024 * 1024;
const usual: TarLimits = { keptBytes: 256 * MiB, totalBytes: 16 * 1024 * MiB, entries: 1_000_000 };
/** Of a long name, or of the records before an entry. */
const longestExtension = MiB;
/** The kernel's own limit. */
const longestPath = 4096;
const roomPerFolder = 256;

/** The entries of a tar archive, in memory: nothing an archive says can touch a disk. Of a path given twice the last counts. */
export async function readTar(
  source: AsyncIterable<Uint8Array>,
  options: ReadTarOptions = {},
): Promise<ArchiveEntry[]> {
  const reader = new TarReader(new ByteQueue(source), { ...usual, ...options.limits });
  return reader.read(options.wanted ?? (() => true));
}

class TarReader {
  readonly #bytes: ByteQueue;
  readonly #limits: TarLimits;
  readonly #entries = new Map<string, ArchiveEntry>();
  #kept = 0;
  #count = 0;

  constructor(bytes: ByteQueue, limits: TarLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  async read(wanted: (path: string) => boolean): Promise<ArchiveEntry[]> {
    try {
      for (;;) {
        const header = await this.#header();
        if (!header) return [...this.#entries.values()];
        await this.#entry(header, wanted);
      }
    } finally {
      await this.#bytes.close();
    }
  }

  /** The next one that stands for something, with what the blocks before it say of it. */
  async #header(): Promise<TarHeader | undefined> {
    let said: Partial<TarHeader> = {};
    for (;;) {
      const block = await this.#bytes.take(blockSize);
      if (block.length === 0) return undefined;
      if (block.length < blockSize)
        throw this.#count === 0 ? notTar() : new ArchiveError("the archive ends within an entry");
      const header = readHeader(block);
      if (!header) return undefined;
      if (++this.#count > this.#limits.entries)
        throw new ArchiveError(`the archive has more than ${this.#limits.entries} entries`);
      // What a global header says holds for the whole archive: times and comments, nothing that is needed here.
      if (header.type === "g") await this.#skip(header.size);
      else if (header.type === "x") said = { ...said, ...readPaxRecords(await this.#extension(header.size)) };
      else if (header.type === "L") said = { ...said, name: longName(await this.#extension(header.size)) };
      else if (header.type === "K") said = { ...said, link: longName(await this.#extension(header.size)) };
      else return { ...header, ...said };
    }
  }

  async #entry({ name, size, type, link }: TarHeader, wanted: (path: string) => boolean): Promise<void> {
    const path = tidyPath(name);
    if (path === undefined) throw new ArchiveError(`an entry's name leads out of the archive: ${JSON.stringify(name)}`);
    if (name.length > longestPath || link.length > longestPath) throw impossibleName();
    const isLink = type === "1" || type === "2";
    if (!wanted(path)) return this.#skip(isLink ? 0 : size);
    // "7" is a file that was to lie in one piece on disk; a name that ends in a slash is a folder to old programs.
    const isFile = type === "0" || type === "7";
    this.#allowKept(path, isFile ? size : link.length);
    if (isFile && !name.endsWith("/"))
      // Copied: what was read comes in pieces that are larger, and would be kept as a whole.
      this.#entries.set(path, { type: "file", path, bytes: (await this.#content(size)).slice() });
    else {
      if (type === "5" || isFile) this.#entries.set(path, { type: "folder", path });
      else if (type === "2") this.#entries.set(path, { type: "link", path, to: link });
      else if (type === "1") this.#again(path, link);
      await this.#skip(isLink ? 0 : size);
    }
  }

  /** Another name of a file before it. */
  #again(path: string, link: string): void {
    const before = this.#entries.get(tidyPath(link) ?? "");
    if (before?.type === "file") this.#entries.set(path, { ...before, path });
  }

  /** Each folder on the way takes room too, once somebody looks into the archive. */
  #allowKept(path: string, size: number): void {
    this.#kept += size + path.split("/").length * roomPerFolder;
    if (this.#kept > this.#limits.keptBytes)
      throw new ArchiveError(`the archive unpacks to more than ${this.#limits.keptBytes} bytes`);
  }

  async #extension(size: number): Promise<Uint8Array> {
    if (size > longestExtension) throw impossibleName();
    return this.#content(size);
  }

  async #content(size: number): Promise<Uint8Array> {
    this.#allow(size);
    const bytes = await this.#bytes.take(size);
    if (bytes.length < size || !(await this.#bytes.skip(padding(size))))
      throw new ArchiveError("the archive ends within an entry");
    return bytes;
  }

  async #skip(size: number): Promise<void> {
    this.#allow(size);
    if (!(await this.#bytes.skip(size + padding(size)))) throw new ArchiveError("the archive ends within an entry");
  }

  #allow(size: number): void {
    if (this.#bytes.taken + size > this.#limits.totalBytes)
      throw new ArchiveError(`the archive unpacks to more than ${this.#limits.totalBytes} bytes`);
  }
}

const impossibleName = (): ArchiveError => new ArchiveError("an entry's name is impossibly long");

function padding(size: number): number {
  return (blockSize - (size % blockSize)) % blockSize;
}

function longName(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/\0+$/, "");
}
