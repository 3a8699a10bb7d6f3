import { join } from "node:path";
import { DirectoryLockedError, lockDirectory, type Unlock } from "../../cluster/runtime/lock-dir.ts";

/** Lets one process at a time tune a node: a second one would take tuned values for original ones. */
export async function lockEngine(root: string): Promise<Unlock> {
  try {
    return await lockDirectory(join(root, "run/attune"), { mode: "engine" });
  } catch (error) {
    if (error instanceof DirectoryLockedError)
      throw new Error(`another attune process (agent or command) tunes this node: ${error.message}`, { cause: error });
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM" || code === "EROFS")
      throw new Error(`only root may tune this host: ${message}`, { cause: error });
    throw error;
  }
}
