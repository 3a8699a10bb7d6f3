import type { Host } from "../host/host.ts";
import { parseMask } from "../../language/cpu/cpu-mask.ts";
import { isSubset } from "../../language/cpu/cpu-set.ts";
import { activeOption, collapseBlanks, isSameValue } from "../../language/tuned/value.ts";
import type { Action } from "./action.ts";
import { carryOut } from "./carry-out.ts";
import { loadJournal, onLedger } from "./journal.ts";
import type { Claim, Entry } from "./ledger.ts";
import { otherThanPlaced } from "./placed.ts";
import { isFileAction, linesOf, textAfter } from "./text-after.ts";

/** A setting that another process changed after its owner had set it. */
export interface Drift {
  readonly target: string;
  readonly owner: string;
  /** The option that asks for it, and its place. */
  readonly from: string;
  readonly expected: string;
  readonly found: string;
}

export interface Repaired extends Drift {
  readonly failed?: string;
  /** How often it was set back without a pause, where more than once, and the wait before the next time. */
  readonly times?: number;
  readonly waitMs?: number;
  /** Not set back yet, since it was shortly before. */
  readonly waiting?: true;
}

export interface DriftScope {
  /** Whose settings. Default all owners'. */
  readonly owner?: string | undefined;
  /** Only settings with one of these files. Default all. */
  readonly paths?: ReadonlySet<string> | undefined;
  /** Whether a target may be set again now; the others are left as they are and reported as waiting. Default all. */
  readonly mayRepair?: ((target: string) => boolean) | undefined;
}

/**
 * Compares the node with the ledger, without a profile, and sets every drifted setting again. Only files can be compared
 * this way; settings that programs make are compared by planning the profile again (`follow.ts`).
 */
export function repairDrift(host: Host, scope: DriftScope = {}): Promise<Repaired[]> {
  return onLedger(host, () => repairNow(host, scope));
}

async function repairNow(host: Host, scope: DriftScope): Promise<Repaired[]> {
  const repaired: Repaired[] = [];
  const { mayRepair = () => true } = scope;
  for (const { drift, claim } of await drifted(host, scope)) {
    if (!mayRepair(drift.target)) {
      repaired.push({ ...drift, waiting: true });
      continue;
    }
    const outcome = await carryOut(claim.actions, host);
    repaired.push(outcome.type === "failed" ? { ...drift, failed: outcome.message } : drift);
  }
  return repaired;
}

/** The files of an owner's settings in force. */
export async function filesInForce(host: Host, owner: string): Promise<string[]> {
  const { ledger } = await loadJournal(host);
  return ledger.entries().flatMap((entry) => {
    const claim = inForce(entry);
    return claim?.owner === owner ? claim.actions.flatMap(pathOf) : [];
  });
}

/** What differs from the ledger, and nothing is set. */
export async function findDrift(host: Host, scope: DriftScope = {}): Promise<Drift[]> {
  return (await drifted(host, scope)).map(({ drift }) => drift);
}

/** The claim that the node should agree with; none where its change failed or was refused. */
function inForce({ claims, before, refused }: Entry): Claim | undefined {
  const claim = claims.at(-1);
  if (!claim || refused) return undefined;
  return claim.made || isSameValue(claim.value, before) ? claim : undefined;
}

function pathOf(action: Action): string[] {
  return action.type === "write" || action.type === "place" || isFileAction(action) ? [action.path] : [];
}

async function drifted(host: Host, { owner: of, paths }: DriftScope): Promise<{ drift: Drift; claim: Claim }[]> {
  const { ledger } = await loadJournal(host);
  const found: { drift: Drift; claim: Claim }[] = [];
  for (const entry of ledger.entries()) {
    const { target } = entry;
    const claim = inForce(entry);
    if (
      !claim ||
      (of !== undefined && claim.owner !== of) ||
      (paths && !claim.actions.flatMap(pathOf).some((path) => paths.has(path)))
    )
      continue;
    const { owner, from, value: expected } = claim;
    for (const action of claim.actions) {
      const other = await otherThan(action, host);
      if (other === undefined || other === claim.kept) continue;
      found.push({ drift: { target, owner, from, expected, found: other }, claim });
      break;
    }
  }
  return found;
}

/**
 * What the kernel made of a value that was just written, where it made another: `read_ahead_kb` is a multiple of the page size,
 * and there may be memory for fewer huge pages.
 */
export async function keptInstead(action: Action, host: Host): Promise<string | undefined> {
  if (action.type !== "write" || action.within !== undefined) return undefined;
  const other = await otherThan(action, host);
  if (other === undefined) return undefined;
  // Another process may have written meanwhile; of the same value the kernel makes the same again.
  const again = await host.write(action.path, action.value);
  return again.type === "done" && (await otherThan(action, host)) === other ? other : undefined;
}

/** The current value, where it differs from what the action wrote. */
async function otherThan(action: Action, host: Host): Promise<string | undefined> {
  if (action.type === "place") return otherThanPlaced(action.path, action.placed, host);
  if (action.type !== "write" && !isFileAction(action)) return undefined;
  const file = await host.read(action.path);
  const text = file.type === "text" ? file.text : undefined;
  if (action.type === "write") {
    // A file that is gone went away with its device: that is no drift.
    if (text === undefined) return undefined;
    const present = activeOption(text, "everything").trim();
    if (action.within !== undefined && isWithin(present, action.within)) return undefined;
    return isSameValue(collapseBlanks(action.value), collapseBlanks(present)) ? undefined : present;
  }
  if (textAfter(action, text) === text) return undefined;
  return action.type === "edit" && action.edit.kind === "lines"
    ? linesOf(action.edit.key, text ?? "").join("; ")
    : beginOf(text ?? "");
}

/** A condition's message has a line for each of many settings, not a whole grub.cfg. */
function beginOf(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

function isWithin(mask: string, allowed: string): boolean {
  const [has, may] = [parseMask(mask), parseMask(allowed)];
  return has.type === "cpus" && may.type === "cpus" && has.cpus.length > 0 && isSubset(has.cpus, may.cpus);
}
