import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface TextFile {
  readonly name: string;
  readonly text: string;
}

/** Writes all of the files or none, each at once: whoever looks meanwhile sees the old one or the new one. */
export function writeFiles(folder: string, files: readonly TextFile[]): void {
  mkdirSync(folder, { recursive: true });
  const pending = files.map(({ name, text }) => {
    const path = join(folder, name);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`write ${path}: it is a folder`);
    return { path, text, unfinished: join(folder, `.${name}.${process.pid}`) };
  });
  try {
    for (const { unfinished, text } of pending) writeFileSync(unfinished, text, { mode: 0o644, flag: "wx" });
    for (const { unfinished, path } of pending) renameSync(unfinished, path);
  } finally {
    for (const { unfinished } of pending) rmSync(unfinished, { force: true });
  }
}
