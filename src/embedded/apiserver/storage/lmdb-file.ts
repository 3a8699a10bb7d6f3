import { existsSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../cluster/runtime/make-folder.ts";
import { checkPages } from "./lmdb-pages.ts";

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

export const dataFile = (path: string): string => join(path, "data.mdb");

/** Beside the folder, so that it is still there if the folder is lost: lmdb would make an empty database without a word. */
const createdMark = (path: string): string => `${path}-created`;

export function hasObjects(path: string): boolean {
  return existsSync(createdMark(path));
}

export function prepareFolder(path: string): void {
  const size = statSync(dataFile(path), { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 && hasObjects(path)) throw damaged(path, new Error("it is missing or empty"));
  makeFolder(path, 0o700);
  if (isFull(path)) throw new Error(`open storage ${path}: no space left on device (ENOSPC)`);
  if (size === 0) return;
  try {
    checkPages(dataFile(path));
  } catch (error) {
    throw damaged(path, error);
  }
}

export function markCreated(path: string): void {
  if (!hasObjects(path)) writeFileSync(createdMark(path), "", { mode: 0o600 });
}

/** What a failed commit means: lmdb reports EIO where a full disk took only a part of a write. */
export function commitFailure(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error)) return cause;
  const isNoSpace = "code" in cause && cause.code === "ENOSPC";
  if (!isNoSpace && !(/Input\/output error/.test(cause.message) && isFull(path))) return cause;
  return new Error(`No space left on device (${path})`, { cause });
}

function isFull(path: string): boolean {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize < minFreeBytes;
}
