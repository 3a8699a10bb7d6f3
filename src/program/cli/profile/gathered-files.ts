import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { readArchive } from "../../../node/snapshot/read-archive.ts";

/** A file of a must-gather. */
export interface GatheredFile {
  /** Within the must-gather: `quay-io-…/nodes/worker-1/sysinfo.tgz`. */
  readonly path: string;
  read(): Promise<Uint8Array>;
}

/** Deeper than any must-gather, and low enough to end the walk of a folder that contains itself. */
const deepest = 12;

/** The wanted files of a must-gather: a folder, or an archive of one. */
export async function gatheredFiles(path: string, wanted: (path: string) => boolean): Promise<GatheredFile[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new Error("no such folder or archive", { cause: error });
  });
  return found.isDirectory() ? inFolder(path, "", wanted) : inArchive(path, wanted);
}

async function inFolder(root: string, below: string, wanted: (path: string) => boolean): Promise<GatheredFile[]> {
  const files: GatheredFile[] = [];
  for (const entry of await readdir(join(root, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    // Namespaces are most of a must-gather, and none of their files is needed.
    if (entry.isDirectory() && entry.name !== "namespaces" && path.split("/").length < deepest)
      files.push(...(await inFolder(root, path, wanted)));
    else if (entry.isFile() && wanted(path)) files.push({ path, read: () => readFile(join(root, path)) });
  }
  return files;
}

async function inArchive(archive: string, wanted: (path: string) => boolean): Promise<GatheredFile[]> {
  const entries = await readArchive(createReadStream(archive), { wanted });
  return entries.flatMap((entry) =>
    entry.type === "file" ? [{ path: entry.path, read: () => Promise.resolve(entry.bytes) }] : [],
  );
}
