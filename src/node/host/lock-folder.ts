import { existsSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { DirectoryLockedError, lockDirectory, type Unlock } from "../../cluster/runtime/lock-dir.ts";
import type { Failure } from "./host.ts";

/**
 * Locks a folder of a node for this process. A root that is not a machine's has no `/run`, and is left as it was; where processes
 * work on it at the same moment, an empty one may stay.
 */
export async function lockFolder(path: string): Promise<Unlock> {
  const above = dirname(path);
  const isNew = !existsSync(above);
  const unlock = await lockDirectory(path, {});
  return isNew ? async () => unlock().then(() => removeEmpty(above)) : unlock;
}

const ledgerLock = "/run/attune-ledger";

/** Engines run scripts and start services, which may take minutes. */
const longestWaitMs = 15 * 60_000;

interface Located {
  /** The path as this process sees it. */
  locate(path: string): Promise<{ type: "path"; path: string } | Failure>;
}

/** Waits until no other process of the node works on the ledger of originals. A process that is killed frees it. */
export async function lockLedger(host: Located): Promise<Unlock> {
  const folder = await host.locate(ledgerLock);
  if (folder.type === "failed") throw new Error(`lock the ledger of this node: ${folder.message}`);
  for (let waitedMs = 0; ;)
    try {
      return await lockFolder(folder.path);
    } catch (error) {
      if (!(error instanceof DirectoryLockedError) || waitedMs > longestWaitMs) throw error;
      // Of two that see each other, both step back: they must not come again at the same time.
      const waitMs = 5 + Math.random() * 25;
      waitedMs += waitMs;
      await pause(waitMs);
    }
}

function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(code)) throw error;
  }
}
