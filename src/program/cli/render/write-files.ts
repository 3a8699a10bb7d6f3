import { mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../../cluster/runtime/make-folder.ts";

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** Writes all files or none. Each is renamed into place, so that a reader sees the old file or the new one. */
export function writeFiles(folder: string, files: readonly TextFile[]): void {
  makeFolder(folder);
  for (const { name } of files) {
    const path = join(folder, name);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`write ${path}: it is a folder`);
  }
  // A random name: in containers every process may have the same id, and a killed one may have left its folder.
  const unfinished = mkdtempSync(join(folder, ".render-"));
  try {
    for (const { name, text } of files) writeFileSync(join(unfinished, name), text, { mode: 0o644 });
    for (const { name } of files) renameSync(join(unfinished, name), join(folder, name));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}
