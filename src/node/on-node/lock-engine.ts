import { statSync } from "node:fs";
import { errorText } from "../../cluster/runtime/error-text.ts";
import { DirectoryLockedError, type Unlock } from "../../cluster/runtime/lock-dir.ts";
import { LinuxHost } from "../host/linux-host.ts";
import { lockFolder } from "../host/lock-folder.ts";
import { syncFiles } from "../host/sync-files.ts";

/** Lets one process at a time apply profiles to a node: a second one would undo what the first one does. */
export async function lockEngine(root: string): Promise<Unlock> {
  const folder = await new LinuxHost(root, syncFiles).locate("/run/attune");
  if (folder.type === "failed") throw new Error(`--root ${root}: ${whyNot(folder)}`);
  if (!statSync(root).isDirectory()) throw new Error(`--root ${root}: not a directory`);
  try {
    return await lockFolder(folder.path);
  } catch (error) {
    if (error instanceof DirectoryLockedError)
      throw new Error(`another attune process (agent or command) tunes this node: ${error.message}`, { cause: error });
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM" || code === "EROFS")
      throw new Error(`only root may tune this host: ${errorText(error)}`, { cause: error });
    throw new Error(`lock this node with ${folder.path}: ${errorText(error)}`, { cause: error });
  }
}

function whyNot({ code, message }: { code: string; message: string }): string {
  return code === "ENOENT" ? "no such directory" : message;
}
