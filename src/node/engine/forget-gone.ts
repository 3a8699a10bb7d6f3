import type { Host } from "../host/host.ts";
import type { Action } from "./action.ts";
import { exists } from "./carry-out.ts";
import type { Entry, Ledger } from "./ledger.ts";

/**
 * Removes the entries of devices and tasks that are gone. The original of an interface that was unplugged would otherwise be
 * written to the next one with its name, and entries of ended tasks would fill the journal.
 */
export async function forgetGone(ledger: Ledger, host: Host): Promise<void> {
  for (const entry of ledger.entries()) {
    if (entry.lasts !== "boot" || !(await isGone(entry, host))) continue;
    for (const { owner } of entry.claims) ledger.release(entry.target, owner);
  }
}

async function isGone({ target, undo }: Entry, host: Host): Promise<boolean> {
  const task = /^task ([0-9]+)@([0-9]+) /.exec(target);
  if (task) return !(await runs(host, task[1] ?? "", task[2] ?? ""));
  if (undo.length === 0) return false;
  for (const action of undo) if (!(await isOfGoneDevice(action, host))) return false;
  return true;
}

/** Files of a CPU that is offline come back with the values they had, so their originals stay. */
const ofDevices = /^\/(?:sys\/(?:block|class|bus|devices\/(?!system\/cpu\/))|proc\/irq\/)/;

async function isOfGoneDevice(action: Action, host: Host): Promise<boolean> {
  if (action.type === "run") return action.needs !== undefined && !(await exists(action.needs, host));
  if (action.type !== "write" || !ofDevices.test(action.path)) return false;
  return (await host.read(action.path)).type === "missing";
}

/** A later task may have the number of one that ended. */
async function runs(host: Host, tid: string, start: string): Promise<boolean> {
  const file = await host.read(`/proc/${tid}/stat`);
  return file.type === "text" && file.text.slice(file.text.lastIndexOf(")") + 2).split(" ")[19] === start;
}
