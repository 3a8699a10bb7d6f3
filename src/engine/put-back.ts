import type { Host } from "../host/host.ts";
import type { Action } from "./action.ts";
import { carryOut } from "./carry-out.ts";
import type { Restored } from "./engine.ts";
import type { Entry, Ledger } from "./ledger.ts";

export interface PutBack {
  ledger: Ledger;
  host: Host;
  owner: string;
  /** Of the owner's claims, those to give up. */
  which(entry: Entry): boolean;
  extent?: "full" | "shutdown";
}

/**
 * Gives up claims, the latest first: what an owner before wanted is in force again, or the original is back. What could
 * not be put back stays on record.
 */
export async function putBack({ ledger, host, owner, which, extent = "full" }: PutBack): Promise<Restored[]> {
  const restored: Restored[] = [];
  for (const entry of ledger.entries().toReversed()) {
    const own = entry.claims.find((claim) => claim.owner === owner);
    if (!own || !which(entry)) continue;
    const undo =
      extent === "full" ? entry.undo : (entry.undoAtShutdown ?? (entry.lasts === "boot" ? entry.undo : undefined));
    if (undo === undefined) continue;
    const inForce = entry.claims.at(-1) === own;
    const next = entry.claims.filter((claim) => claim !== own).at(-1);
    if (!inForce || (!next && !own.made)) {
      ledger.release(entry.target, owner);
      continue;
    }
    const failed = await each(next?.actions ?? undo, host, entry.lasts);
    const { target } = entry;
    const value = next?.value ?? entry.before;
    restored.push(failed === undefined ? { target, value } : { target, value, failed: failed.message });
    if (!failed?.again) ledger.release(target, owner);
  }
  return restored;
}

/** All of them, even after one that failed. */
async function each(
  actions: readonly Action[],
  host: Host,
  lasts: Entry["lasts"],
): Promise<{ message: string; again: boolean } | undefined> {
  let failure: { message: string; again: boolean } | undefined;
  for (const action of actions) {
    const outcome = await carryOut([action], host);
    // What is no longer there (an interface went away) has nothing to put back.
    if (outcome.type === "done" || outcome.code === "ENOENT") continue;
    // A script that complained will complain again, and a device that went away will not come for a program either.
    const ran = action.type === "run" && outcome.code !== "ENOEXEC";
    const again = !ran || (lasts === "persistent" && !action.quiet);
    failure = { message: failure?.message ?? outcome.message, again: again || failure?.again === true };
  }
  return failure;
}
