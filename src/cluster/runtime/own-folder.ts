import { chmodSync, existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "./make-folder.ts";

/**
 * A folder for secrets: made if it is absent, closed to other users if it is ours. The keys of a certificate authority are
 * read from it, so a folder that another user owns, may write or has put something into is refused. All is checked before
 * anything changes: to close /tmp or /etc would break the system.
 */
export function makeOwnFolder(dir: string): void {
  makeFolder(dir, 0o700);
  checkFolder(dir);
  for (const path of contents(dir)) checkOwner(path);
  if ((statSync(dir).mode & 0o077) === 0) return;
  if (!isOurs(dir))
    throw new ForeignFolderError(dir, "other users may read it, and it holds files that are not Attune's");
  chmodSync(dir, 0o700);
}

export class ForeignFolderError extends Error {
  constructor(path: string, why: string) {
    super(`use ${path}: ${why}: choose another directory`);
    this.name = "ForeignFolderError";
  }
}

/** A folder in which no other user can have made or replaced a file. */
function checkFolder(path: string): void {
  checkOwner(path);
  if ((statSync(path).mode & 0o022) !== 0) throw new ForeignFolderError(path, "other users may write it");
}

/** Also of what a link names. */
function checkOwner(path: string): void {
  for (const read of [lstatSync, statSync]) {
    const uid = read(path, { throwIfNoEntry: false })?.uid;
    if (uid !== undefined && uid !== (process.geteuid?.() ?? uid))
      throw new ForeignFolderError(path, `it belongs to user ${uid}, not to this user`);
  }
}

/** Two levels: the folder's files and those of its folders, `pki` and `objects` among them. */
function contents(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    // The mode of `dir` protects its own folders, but not one elsewhere that a link names.
    if (isFolder && entry.isSymbolicLink()) checkFolder(path);
    return isFolder ? [path, ...readdirSync(path).map((name) => join(path, name))] : [path];
  });
}

/** Empty, or with what only a state directory has. */
function isOurs(dir: string): boolean {
  const isState = ["mode", "pki/ca.pem"].some((name) => existsSync(join(dir, name)));
  return isState || readdirSync(dir).every((name) => /^(new-)?lock\./.test(name));
}
