import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Makes a folder and those above it. Node's own `recursive` never returns where no folder can be made, as below /proc: the
 * kernel answers ENOENT although the folder above exists.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (isFolder(folder)) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw error;
  }
}

/** The same in Node's thread pool: a slow file system does not block the process. */
export async function makeFolderAsync(folder: string, mode?: number): Promise<void> {
  if (await isFolderAsync(folder)) return;
  if (dirname(folder) !== folder) await makeFolderAsync(dirname(folder), mode);
  try {
    await mkdir(folder, { mode });
  } catch (error) {
    if (!(await isFolderAsync(folder))) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function isFolderAsync(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    // Making the folder fails with the reason.
    () => false,
  );
}
