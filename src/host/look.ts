import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { readdir, readFile, realpath } from "node:fs/promises";

/** How a host looks at its files. */
export interface Look {
  read(file: string): Promise<string>;
  list(folder: string): Promise<string[]>;
  real(path: string): Promise<string>;
}

/** In other threads: one file that is slow to come holds nobody else up. */
export const inThreads: Look = {
  read: (file) => readFile(file, "utf8"),
  list: (folder) => readdir(folder),
  real: (path) => realpath(path),
};

/** By itself. For a process with nobody else to serve: handing a small file to another thread takes longer than reading it. */
export const atOnce: Look = {
  read: async (file) => readFileSync(file, "utf8"),
  list: async (folder) => readdirSync(folder),
  real: async (path) => realpathSync.native(path),
};
