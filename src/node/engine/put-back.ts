import { besideOf, type Host } from "../host/host.ts";
import type { Action } from "./action.ts";
import { carryOut, exists, joinRuns, mayJoin } from "./carry-out.ts";
import type { Restored } from "./engine.ts";
import type { Entry, Ledger } from "./ledger.ts";
import { otherThanPlaced } from "./placed.ts";
import { isFileAction } from "./text-after.ts";

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
      due.push({ entry, actions: next?.actions ?? own.undo ?? undo, value: next?.value ?? entry.before });
    else ledger.release(entry.target, owner);
  }
  const restored: Restored[] = [];
  for (const batch of batches(due)) {
    // One program undoes a batch in the order in which it was made.
    const actions = batch.toReversed().flatMap((one) => one.actions);
    const { failure, note } = await each(joinRuns(actions), host, batch[0]?.entry.lasts ?? "boot");
    for (const { entry, value } of batch) {
      const { target } = entry;
      const noted = note === undefined ? {} : { note };
      restored.push(failure === undefined ? { target, value, ...noted } : { target, value, failed: failure.message });
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

interface Undone {
  failure?: { readonly message: string; readonly again: boolean };
  note?: string;
}

/** Carries out every action, even after one that failed. */
async function each(actions: readonly Action[], host: Host, lasts: Entry["lasts"]): Promise<Undone> {
  const undone: Undone = {};
  for (const action of actions) {
    // What a killed process had begun to write.
    if (isFileAction(action) || action.type === "place") await host.remove(besideOf(action.path));
    if (await isDone(action, host)) continue;
    const outcome = await carryOut([action], host);
    // A target that is gone (an interface was removed) has nothing to restore.
    if (outcome.type === "done" || outcome.code === "ENOENT") continue;
    if (await lacksSystemd(action, host)) {
      undone.note = `systemd is not running: ${outcome.message}`;
      continue;
    }
    // A script that failed, or a program for a device that is gone, would fail again.
    const ran = action.type === "run" && outcome.code !== "ENOEXEC";
    const again = !ran || (lasts === "persistent" && !action.quiet);
    const { failure } = undone;
    undone.failure = { message: failure?.message ?? outcome.message, again: again || failure?.again === true };
  }
  return undone;
}

/** A file that has its original already, as after a crash, is not written: it may be read-only. Edits compare by themselves. */
async function isDone(action: Action, host: Host): Promise<boolean> {
  if (action.type === "place") return (await otherThanPlaced(action.path, action.placed, host)) === undefined;
  if (action.type !== "write" && action.type !== "file") return false;
  const file = await host.read(action.path);
  if (action.type === "write") return file.type === "text" && file.text.trim() === action.value.trim();
  return action.text === null ? file.type === "missing" : file.type === "text" && file.text === action.text;
}

/** Without systemd no service runs that could be restarted, and those that it starts later read the restored files. */
async function lacksSystemd(action: Action, host: Host): Promise<boolean> {
  if (action.type !== "run" || action.argv[0] !== "systemctl") return false;
  // What sd_booted(3) checks.
  return !(await exists("/run/systemd/system", host));
}
