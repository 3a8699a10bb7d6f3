import { existsSync, rmdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorText } from "../../cluster/runtime/error-text.ts";
import { DirectoryLockedError, lockDirectory, type Unlock } from "../../cluster/runtime/lock-dir.ts";
import { LinuxHost } from "../host/linux-host.ts";
import { syncFiles } from "../host/sync-files.ts";

/** Lets one process at a time tune a node: a second one would take tuned values for original ones. */
export async function lockEngine(root: string): Promise<Unlock> {
  const folder = await new LinuxHost(root, syncFiles).locate("/run/attune");
  if (folder.type === "failed") throw new Error(`--root ${root}: ${whyNot(folder)}`);
  if (!statSync(root).isDirectory()) throw new Error(`--root ${root}: not a directory`);
  const above = dirname(folder.path);
  const isNew = !existsSync(above);
  try {
    const unlock = await lockDirectory(folder.path, {});
    return isNew ? async () => unlock().then(() => removeEmpty(above)) : unlock;
  } catch (error) {
    if (error instanceof DirectoryLockedError)
      throw new Error(`another attune process (agent or command) tunes this node: ${error.message}`, { cause: error });
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM" || code === "EROFS")
      throw new Error(`only root may tune this host: ${errorText(error)}`, { cause: error });
    throw new Error(`lock this node with ${folder.path}: ${errorText(error)}`, { cause: error });
  }
}

/** A root that is not a machine's has no such folder, and must be left as it was. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(code)) throw error;
  }
}

function whyNot({ code, message }: { code: string; message: string }): string {
  return code === "ENOENT" ? "no such directory" : message;
}
