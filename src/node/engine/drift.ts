import type { Host } from "../host/host.ts";
import { activeOption, collapseBlanks, isSameValue } from "../../language/tuned/value.ts";
import type { Action } from "./action.ts";
import { carryOut } from "./carry-out.ts";
import { loadJournal } from "./journal.ts";
import type { Claim } from "./ledger.ts";
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
}

/**
 * Compares the node with the ledger, without a profile, and sets every drifted setting again. Only files can be compared
 * this way; settings that programs make are compared by verifying the profile.
 */
export async function repairDrift(host: Host): Promise<Repaired[]> {
  const repaired: Repaired[] = [];
  for (const { drift, claim } of await drifted(host)) {
    const outcome = await carryOut(claim.actions, host);
    repaired.push(outcome.type === "failed" ? { ...drift, failed: outcome.message } : drift);
  }
  return repaired;
}

async function drifted(host: Host): Promise<{ drift: Drift; claim: Claim }[]> {
  const { ledger } = await loadJournal(host);
  const found: { drift: Drift; claim: Claim }[] = [];
  for (const { target, claims, refused } of ledger.entries()) {
    const claim = claims.at(-1);
    if (!claim?.made || refused) continue;
    const { owner, from, value: expected } = claim;
    for (const action of claim.actions) {
      const other = await otherThan(action, host);
      if (other === undefined) continue;
      found.push({ drift: { target, owner, from, expected, found: other }, claim });
      break;
    }
  }
  return found;
}

/** The current value, where it differs from what the action wrote. */
async function otherThan(action: Action, host: Host): Promise<string | undefined> {
  if (action.type !== "write" && !isFileAction(action)) return undefined;
  const file = await host.read(action.path);
  const text = file.type === "text" ? file.text : undefined;
  if (action.type === "write") {
    // A file that is gone went away with its device: that is no drift.
    if (text === undefined) return undefined;
    const present = activeOption(text, "everything").trim();
    return isSameValue(collapseBlanks(action.value), collapseBlanks(present)) ? undefined : present;
  }
  if (textAfter(action, text) === text) return undefined;
  return action.type === "edit" && action.edit.kind === "lines"
    ? linesOf(action.edit.key, text ?? "").join("; ")
    : (text ?? "");
}
