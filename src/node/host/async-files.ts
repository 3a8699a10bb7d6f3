import { constants } from "node:fs";
import { open, readdir, readFile, readlink, realpath, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolderAsync } from "../../cluster/runtime/make-folder.ts";
import { besideOf } from "./host.ts";

/** How a LinuxHost reads and writes files. Errors are thrown as Node.js throws them. */
export interface Files {
  read(file: string): Promise<string>;
  list(folder: string): Promise<string[]>;
  /** The path without links on the way. */
  real(path: string): Promise<string>;
  /** Where a link leads, as it is written in the link. Undefined where there is none. */
  linkOf(path: string): Promise<string | undefined>;
  /** In place, in one call. `create`: create the file and its folders where they are missing. */
  write(file: string, text: string, create: boolean): Promise<void>;
  /** Returns when a crash would leave the new file. Without a mode the file keeps its mode. */
  replace(file: string, text: string, mode?: number): Promise<void>;
  remove(file: string): Promise<void>;
  removeFolder(folder: string): Promise<void>;
}

/** In Node's thread pool: a slow file does not block the process. */
export const asyncFiles: Files = {
  read: (file) => readFile(file, "utf8"),
  list: (folder) => readdir(folder),
  real: (path) => realpath(path),

  linkOf: (path) => readlink(path).catch(ignoreNoLink),

  async write(file, text, create) {
    if (create) await makeFolderAsync(dirname(file));
    const handle = await open(file, constants.O_WRONLY | constants.O_TRUNC | (create ? constants.O_CREAT : 0), 0o644);
    try {
      await handle.write(text);
    } finally {
      await handle.close();
    }
  },

  async replace(file, text, wantedMode) {
    await makeFolderAsync(dirname(file));
    // A boot configuration with passwords in it must not become readable by being rewritten.
    const mode = wantedMode ?? (await modeOf(file)) ?? 0o644;
    const beside = besideOf(file);
    await rm(beside, { force: true });
    const handle = await open(beside, "wx", mode);
    try {
      try {
        // open() applies the process's umask to the mode.
        await handle.chmod(mode);
        await handle.writeFile(text);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(beside, file);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
    // The new name lasts only once the folder itself is on disk.
    const folder = await open(dirname(file), "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },

  async remove(file) {
    await rm(besideOf(file), { force: true });
    await rm(file);
  },
  removeFolder: (folder) => rmdir(folder),
};

async function modeOf(file: string): Promise<number | undefined> {
  const present = await stat(file).catch(ignoreMissing);
  return present && present.mode & 0o777;
}

/** What is no link, or missing. */
export function ignoreNoLink(error: unknown): undefined {
  if (!(error instanceof Error && "code" in error && error.code === "EINVAL")) ignoreMissing(error);
}

/** Any other error is thrown: a file whose mode is unknown must not become readable by being rewritten. */
export function ignoreMissing(error: unknown): undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
}
