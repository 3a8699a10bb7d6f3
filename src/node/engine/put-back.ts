import type { Host } from "../host/host.ts";
import type { Action } from "./action.ts";
import { carryOut, joinRuns, mayJoin } from "./carry-out.ts";
import type { Restored } from "./engine.ts";
import type { Entry, Ledger } from "./ledger.ts";

export interface PutBack {
  ledger: Ledger;
  host: Host;
  owner: string;
  /** Chooses the claims of the owner to release. */
  which: (entry: Entry) => boolean;
  extent?: "full" | "shutdown" | undefined;
}

/**
 * Releases claims, the latest first: the claim before takes effect again, or the original is restored. A claim whose
 * target could not be restored stays in the ledger.
 */
export async function putBack({ ledger, host, owner, which, extent = "full" }: PutBack): Promise<Restored[]> {
  const due: Due[] = [];
  for (const entry of ledger.entries().toReversed()) {
    const own = entry.claims.find((claim) => claim.owner === owner);
    const undo = extent === "full" ? entry.undo : undoAtShutdown(entry);
    if (!own || undo === undefined || !which(entry)) continue;
    const next = entry.claims.filter((claim) => claim !== own).at(-1);
    if (entry.claims.at(-1) === own && (next || own.made))
      due.push({ entry, actions: next?.actions ?? undo, value: next?.value ?? entry.before });
    else ledger.release(entry.target, owner);
  }
  const restored: Restored[] = [];
  for (const batch of batches(due)) {
    // One program undoes a batch in the order in which it was made.
    const actions = batch.toReversed().flatMap((one) => one.actions);
    const failure = await each(joinRuns(actions), host, batch[0]?.entry.lasts ?? "boot");
    for (const { entry, value } of batch) {
      const { target } = entry;
      restored.push(failure === undefined ? { target, value } : { target, value, failed: failure.message });
      if (!failure?.again) ledger.release(target, owner);
    }
  }
  return restored;
}

interface Due {
  entry: Entry;
  actions: readonly Action[];
  value: string;
}

function undoAtShutdown({ undoAtShutdown: instead, undo, lasts }: Entry): readonly Action[] | undefined {
  return instead ?? (lasts === "boot" ? undo : undefined);
}

function batches(due: readonly Due[]): Due[][] {
  const groups: Due[][] = [];
  for (const one of due) {
    const before = groups.at(-1)?.at(-1);
    if (before && before.entry.lasts === one.entry.lasts && mayJoin(one.actions, before.actions))
      groups.at(-1)?.push(one);
    else groups.push([one]);
  }
  return groups;
}

/** Carries out every action, even after one that failed. */
async function each(
  actions: readonly Action[],
  host: Host,
  lasts: Entry["lasts"],
): Promise<{ message: string; again: boolean } | undefined> {
  let failure: { message: string; again: boolean } | undefined;
  for (const action of actions) {
    const outcome = await carryOut([action], host);
    // A target that is gone (an interface was removed) has nothing to restore.
    if (outcome.type === "done" || outcome.code === "ENOENT") continue;
    // A script that failed, or a program for a device that is gone, would fail again.
    const ran = action.type === "run" && outcome.code !== "ENOEXEC";
    const again = !ran || (lasts === "persistent" && !action.quiet);
    failure = { message: failure?.message ?? outcome.message, again: again || failure?.again === true };
  }
  return failure;
}
