import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { makeFolder } from "../../cluster/runtime/make-folder.ts";
import { type Files, ignoreMissing, ignoreNoLink } from "./async-files.ts";
import { besideOf } from "./host.ts";

/** For a process that does one thing at a time: handing a small file to another thread takes longer than reading it. */
export const syncFiles: Files = {
  read: async (file) => readFileSync(file, "utf8"),
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
  async replace(file, text, wantedMode) {
    makeFolder(dirname(file));
    const mode = wantedMode ?? modeOf(file) ?? 0o644;
    const beside = besideOf(file);
    rmSync(beside, { force: true });
    const handle = openSync(beside, "wx", mode);
    try {
      withOpen(handle, (open) => {
        fchmodSync(open, mode);
        writeFileSync(open, text);
        fsyncSync(open);
      });
      renameSync(beside, file);
    } catch (error) {
      rmSync(beside, { force: true });
      throw error;
    }
    withOpen(openSync(dirname(file), "r"), fsyncSync);
  },

  async remove(file) {
    rmSync(besideOf(file), { force: true });
    rmSync(file);
  },
  removeFolder: async (folder) => rmdirSync(folder),
};

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
