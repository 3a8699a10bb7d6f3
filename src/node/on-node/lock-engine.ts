import { join } from "node:path";
import { DirectoryLockedError, lockDirectory, type Unlock } from "../../cluster/runtime/lock-dir.ts";

/** One at a time on a node: two that know nothing of each other would take tuned values for originals. */
export async function lockEngine(root: string): Promise<Unlock> {
  try {
    return await lockDirectory(join(root, "run/attune"), { mode: "engine" });
  } catch (error) {
    if (error instanceof DirectoryLockedError)
      throw new Error(`another Attune tunes this node, as agent or as command: ${error.message}`, { cause: error });
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EACCES" || code === "EPERM" || code === "EROFS")
      throw new Error(`only root may tune this host: ${message}`, { cause: error });
    throw error;
  }
}
