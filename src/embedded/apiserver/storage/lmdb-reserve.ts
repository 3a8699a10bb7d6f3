import { closeSync, fstatSync, openSync, writeSync } from "node:fs";
import type { Row } from "./store.ts";

/** What lmdb writes besides the value of a row, at most: a copy of its leaf, or the two that it is split into. */
const bytesPerRow = 8 * 1024;
/** And for each commit: branches of the tree, and the list of free pages. */
const bytesPerCommit = 64 * 1024;
/** Left to deletions on a full disk. */
const bytesForDeletions = 256 * 1024;
/** Added to what a commit needs, so that few commits extend the file. */
const zeros = Buffer.alloc(512 * 1024);

/**
 * Extends the file before lmdb writes to it. lmdb 3.5.6 describes a write that fails in a buffer that is too small, which
 * ends the process; here it is an error, and lmdb writes to places that the disk already has.
 */
export class LmdbReserve {
  readonly #file: string;
  readonly #usedBytes: () => number;
  #left = 0;

  /** `usedBytes`: to the end of the last page that lmdb has used. */
  constructor(file: string, usedBytes: () => number) {
    this.#file = file;
    this.#usedBytes = usedBytes;
  }

  /** In the transaction that writes `rows`: no other process extends the file meanwhile, or writes behind it. */
  ensure(rows: readonly Row[]): void {
    const bytes = rows.reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
    const needed = bytesPerCommit + rows.length * bytesPerRow + bytes;
    const kept = bytes > 0 ? bytesForDeletions : 0;
    if (this.#left < needed + kept) this.#left = this.#extend(needed + kept);
    this.#left -= needed;
  }

  #extend(needed: number): number {
    const used = this.#usedBytes();
    const wanted = used + needed + zeros.length;
    const file = openSync(this.#file, "r+");
    let { size } = fstatSync(file);
    try {
      while (size < wanted) size += writeSync(file, zeros, 0, Math.min(zeros.length, wanted - size), size);
    } catch (error) {
      if (size < used + needed) throw error;
    } finally {
      closeSync(file);
    }
    return size - used;
  }
}
