import { constants, type Stats } from "node:fs";
import {
  chmod,
  chown,
  lchown,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  symlink,
} from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolderAsync } from "../../cluster/runtime/make-folder.ts";
import { type Attributes, besideOf, type Owner } from "./host.ts";

/** How a LinuxHost reads and writes files. Errors are thrown as Node.js throws them. */
export interface Files {
  read(file: string): Promise<string>;
  readBytes(file: string): Promise<Uint8Array>;
  /** Of a link itself. */
  stat(path: string): Promise<Stats>;
  list(folder: string): Promise<string[]>;
  /** The path without links on the way. */
  real(path: string): Promise<string>;
  /** Where a link leads, as it is written in the link. Undefined where there is none. */
  linkOf(path: string): Promise<string | undefined>;
  /** In place, in one call. `create`: create the file and its folders where they are missing. */
  write(file: string, text: string, create: boolean): Promise<void>;
  /** Returns when a crash would leave the new file. Without a mode the file keeps its mode. */
  replace(file: string, content: string | Uint8Array, as: Partial<Attributes>): Promise<void>;
  placeDirectory(folder: string, as: Attributes): Promise<void>;
  /** `from` is the text of a link, or with `isHard` the path of a file. */
  placeLink(
    file: string,
    from: string,
    as: { readonly isHard: boolean; readonly owner?: Owner | undefined },
  ): Promise<void>;
  /** Returns when a crash would leave no file. */
  remove(file: string): Promise<void>;
  removeFolder(folder: string): Promise<void>;
}

/** What a config may place is far smaller. A file that is larger would only fill the memory of the agent. */
const mostBytes = 64 * 1024 * 1024;

export function refuseLarge(file: string, size: number): void {
  if (size <= mostBytes) return;
  const message = `EFBIG: ${file} has ${size} bytes, and at most ${mostBytes} are read`;
  throw Object.assign(new Error(message), { code: "EFBIG" });
}

/** In Node's thread pool: a slow file does not block the process. */
export const asyncFiles: Files = {
  read: (file) => readFile(file, "utf8"),
  async readBytes(file) {
    refuseLarge(file, (await stat(file)).size);
    return readFile(file);
  },
  stat: (path) => lstat(path),
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

  async replace(file, content, { mode: wantedMode, uid, gid }) {
    await makeFolderAsync(dirname(file));
    // A boot configuration with passwords in it must not become readable by being rewritten.
    const mode = wantedMode ?? (await modeOf(file)) ?? 0o644;
    const beside = besideOf(file);
    await rm(beside, { force: true });
    const handle = await open(beside, "wx", mode);
    try {
      try {
        // chown() clears the set-user-id bit, and open() applies the process's umask to the mode.
        if (uid !== undefined && gid !== undefined) await handle.chown(uid, gid);
        await handle.chmod(mode);
        await handle.writeFile(content);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(beside, file);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
    await syncFolder(dirname(file));
  },

  async placeDirectory(folder, { mode, uid, gid }) {
    await makeFolderAsync(dirname(folder));
    const present = await lstat(folder).catch(ignoreMissing);
    if (present && !present.isDirectory()) throw notDirectory(folder);
    if (!present) await mkdir(folder, { mode });
    await chown(folder, uid, gid);
    await chmod(folder, mode);
    await syncFolder(dirname(folder));
  },

  async placeLink(file, from, { isHard, owner }) {
    await makeFolderAsync(dirname(file));
    const beside = besideOf(file);
    await rm(beside, { force: true });
    await (isHard ? link(from, beside) : symlink(from, beside));
    if (owner && !isHard) await lchown(beside, owner.uid, owner.gid);
    await rename(beside, file);
    // rename() of two names of one file leaves both.
    await rm(beside, { force: true });
    await syncFolder(dirname(file));
  },

  async remove(file) {
    await rm(besideOf(file), { force: true });
    await rm(file);
    await syncFolder(dirname(file));
  },
  removeFolder: (folder) => rmdir(folder),
};

/** A name that is new or gone lasts only once the folder itself is on disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

export function notDirectory(path: string): Error {
  return Object.assign(new Error(`ENOTDIR: not a directory, ${path}`), { code: "ENOTDIR" });
}

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
