import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { readSnapshot, type Snapshot } from "../../../node/snapshot/read-snapshot.ts";

/** Snapshot files by node name. */
export type SnapshotFiles = ReadonlyMap<string, string>;

/** `--snapshot`: NODE=FILE, a file that is named after its node, or a folder of such files. */
export async function snapshotFiles(words: readonly string[]): Promise<SnapshotFiles> {
  const files = new Map<string, string>();
  for (const word of words) {
    const sign = word.indexOf("=");
    const file = word.slice(sign + 1);
    const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
      throw new Error(`--snapshot ${word}: ${error.code === "ENOENT" ? "no such file" : error.message}`, {
        cause: error,
      });
    });
    const named =
      sign > 0 ? [[word.slice(0, sign), file]] : found.isDirectory() ? await inFolder(file) : [[nodeOf(file), file]];
    if (named.length === 0) throw new Error(`--snapshot ${word}: no NODE.tgz in it`);
    for (const [node = "", path = ""] of named) files.set(node, path);
  }
  return files;
}

async function inFolder(folder: string): Promise<string[][]> {
  const names = (await readdir(folder)).filter((name) => isSnapshot(name));
  return names.map((name) => [nodeOf(name), join(folder, name)]);
}

function isSnapshot(name: string): boolean {
  return /\.(tgz|tar\.gz|tar)$/.test(name);
}

function nodeOf(file: string): string {
  return basename(file).replace(/\.(tgz|tar\.gz|tar)$/, "");
}

export async function readSnapshotFile(file: string): Promise<Snapshot> {
  try {
    return await readSnapshot(createReadStream(file));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`snapshot ${file}: ${message}`, { cause: error });
  }
}
