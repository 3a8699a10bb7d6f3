import { existsSync, statfsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../cluster/runtime/make-folder.ts";

/** What lmdb knows of a database without reading its pages. */
export interface DatabaseStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly entryCount: number;
}

/** Storage that lacks a part of what was written to it. */
export class DamagedStorageError extends Error {
  override readonly name = "DamagedStorageError";
}

/** Translates errors of lmdb and of decoding. */
export function damaged(path: string, cause: unknown): DamagedStorageError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const advice = "restore it from a copy, or choose another directory";
  return new DamagedStorageError(`open storage ${path}: data.mdb is damaged: ${why}: ${advice}`, { cause });
}

/** Room for the file of readers, which lmdb maps: a page that cannot be allocated ends the process with SIGBUS. */
const minFreeBytes = 256 * 1024;

/** The first two pages say where everything else is; lmdb reads both before it knows the file's size. */
const headBytes = 2 * 4096;

const dataFile = (path: string): string => join(path, "data.mdb");

/** Beside the folder, so that it is still there if the folder is lost: lmdb would make an empty database without a word. */
const createdMark = (path: string): string => `${path}-created`;

export function prepareFolder(path: string): void {
  const size = statSync(dataFile(path), { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 ? existsSync(createdMark(path)) : size < headBytes)
    throw damaged(path, new Error("it is missing or empty"));
  makeFolder(path, 0o700);
  const { bavail, bsize } = statfsSync(path);
  if (bavail * bsize < minFreeBytes) throw new Error(`open storage ${path}: no space left on device (ENOSPC)`);
}

export function markCreated(path: string): void {
  if (!existsSync(createdMark(path))) writeFileSync(createdMark(path), "", { mode: 0o600 });
}

/**
 * Appends the pages that a truncated file lacks, as zeros: reading a page behind the end of a mapped file ends the process
 * with SIGBUS. Pages that were never used may be missing from a sound file; pages that were are found to be empty. Returns whether there were any.
 */
export function fillUp(path: string, { pageSize, lastPageNumber }: DatabaseStats): boolean {
  const size = (lastPageNumber + 1) * pageSize;
  const isShort = statSync(dataFile(path)).size < size;
  if (isShort) truncateSync(dataFile(path), size);
  return isShort;
}
