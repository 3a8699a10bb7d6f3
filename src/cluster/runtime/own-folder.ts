import { chmodSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";

/**
 * A folder for secrets: made if it is absent, closed to other users if it is not. What another user put there is refused,
 * because the keys of a certificate authority are read from it.
 */
export function makeOwnFolder(dir: string): void {
  makeFolder(dir, 0o700);
  const { uid, mode } = statSync(dir);
  const own = process.geteuid?.() ?? uid;
  if (uid !== own) throw new ForeignFolderError(dir, uid);
  if ((mode & 0o077) !== 0) chmodSync(dir, 0o700);
  for (const path of contents(dir)) {
    const owner = lstatSync(path, { throwIfNoEntry: false })?.uid ?? own;
    if (owner !== own) throw new ForeignFolderError(path, owner);
  }
}

export class ForeignFolderError extends Error {
  constructor(path: string, uid: number) {
    super(`use ${path}: it belongs to user ${uid}, not to this user: choose another directory`);
    this.name = "ForeignFolderError";
  }
}

/** Two levels: the folder's files and those of its folders, `pki` and `objects` among them. */
function contents(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? [path, ...readdirSync(path).map((name) => join(path, name))] : [path];
  });
}
