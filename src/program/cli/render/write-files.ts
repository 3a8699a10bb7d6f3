import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** Writes all of the files or none, each at once: whoever looks meanwhile sees the old one or the new one. */
export function writeFiles(folder: string, files: readonly TextFile[]): void {
  makeFolder(folder);
  for (const { name } of files) {
    const path = join(folder, name);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`write ${path}: it is a folder`);
  }
  // Nobody else's, not even that of one before which was killed: in containers all have the same process id.
  const unfinished = mkdtempSync(join(folder, ".render-"));
  try {
    for (const { name, text } of files) writeFileSync(join(unfinished, name), text, { mode: 0o644 });
    for (const { name } of files) renameSync(join(unfinished, name), join(folder, name));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Node's own way of making the folders above tries for ever where there can be none, as below /proc. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(folder) !== folder) makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
  } catch (error) {
    // Another render may have been faster.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
