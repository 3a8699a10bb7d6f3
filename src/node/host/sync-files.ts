import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../cluster/runtime/make-folder.ts";
import { type Files, ignoreMissing, ignoreNoLink, notDirectory, refuseLarge } from "./async-files.ts";
import { besideOf } from "./host.ts";

/** For a process that does one thing at a time: handing a small file to another thread takes longer than reading it. */
export const syncFiles: Files = {
  read: async (file) => readFileSync(file, "utf8"),
  async readBytes(file) {
    refuseLarge(file, statSync(file).size);
    return readFileSync(file);
  },
  stat: async (path) => lstatSync(path),
  list: async (folder) => readdirSync(folder),
  real: async (path) => realpathSync.native(path),
  async linkOf(path) {
    try {
      return readlinkSync(path);
    } catch (error) {
      return ignoreNoLink(error);
    }
  },

  async write(file, text, create) {
    if (create) makeFolder(dirname(file));
    const flags = constants.O_WRONLY | constants.O_TRUNC | (create ? constants.O_CREAT : 0);
    withOpen(openSync(file, flags, 0o644), (open) => writeSync(open, text));
  },

  /** The same steps in the same order as in async-files.ts, and for the same reasons. */
  async replace(file, content, { mode: wantedMode, uid, gid }) {
    makeFolder(dirname(file));
    const mode = wantedMode ?? modeOf(file) ?? 0o644;
    const beside = besideOf(file);
    rmSync(beside, { force: true });
    const handle = openSync(beside, "wx", mode);
    try {
      withOpen(handle, (open) => {
        if (uid !== undefined && gid !== undefined) fchownSync(open, uid, gid);
        fchmodSync(open, mode);
        writeFileSync(open, content);
        fsyncSync(open);
      });
      renameSync(beside, file);
    } catch (error) {
      rmSync(beside, { force: true });
      throw error;
    }
    syncFolder(dirname(file));
  },

  async placeDirectory(folder, { mode, uid, gid }) {
    makeFolder(dirname(folder));
    const present = lstatSync(folder, { throwIfNoEntry: false });
    if (present && !present.isDirectory()) throw notDirectory(folder);
    if (!present) mkdirSync(folder, { mode });
    chownSync(folder, uid, gid);
    chmodSync(folder, mode);
    syncFolder(dirname(folder));
  },

  async placeLink(file, from, { isHard, owner }) {
    makeFolder(dirname(file));
    const beside = besideOf(file);
    rmSync(beside, { force: true });
    if (isHard) linkSync(from, beside);
    else symlinkSync(from, beside);
    if (owner && !isHard) lchownSync(beside, owner.uid, owner.gid);
    renameSync(beside, file);
    rmSync(beside, { force: true });
    syncFolder(dirname(file));
  },

  async remove(file) {
    rmSync(besideOf(file), { force: true });
    rmSync(file);
    syncFolder(dirname(file));
  },
  removeFolder: async (folder) => rmdirSync(folder),
};

function syncFolder(folder: string): void {
  withOpen(openSync(folder, "r"), fsyncSync);
}

function withOpen(open: number, use: (open: number) => unknown): void {
  try {
    use(open);
  } finally {
    closeSync(open);
  }
}

function modeOf(file: string): number | undefined {
  const present = ifPresent(() => statSync(file));
  return present && present.mode & 0o777;
}

function ifPresent<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    return ignoreMissing(error);
  }
}
