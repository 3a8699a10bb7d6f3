import type { Host } from "../host/host.ts";
import { activeOption, collapseBlanks, setKeys, isSameValue } from "../../language/tuned/value.ts";
import type { Action } from "./action.ts";
import { carryOut } from "./carry-out.ts";
import { loadJournal } from "./journal.ts";
import type { Claim } from "./ledger.ts";

/** Something that is no longer as its owner made it. */
export interface Drift {
  readonly target: string;
  readonly owner: string;
  /** Which setting asked for it. */
  readonly from: string;
  readonly expected: string;
  readonly found: string;
}

export interface Repaired extends Drift {
  readonly failed?: string;
}

/**
 * What somebody else changed since it was set, by the ledger alone: no profile is needed. Only files can be looked at
 * this way; what programs set is compared by verifying the profile.
 */
export async function findDrift(host: Host): Promise<Drift[]> {
  return (await drifted(host)).map(({ drift }) => drift);
}

/** Sets it again. */
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

/** What is there instead of what the action made; nothing where that is still there. */
async function otherThan(action: Action, host: Host): Promise<string | undefined> {
  if (action.type !== "write" && action.type !== "file" && action.type !== "keys") return undefined;
  const file = await host.read(action.path);
  const text = file.type === "text" ? file.text : undefined;
  if (action.type === "write") {
    // What went away with its device is nobody's doing.
    if (text === undefined) return undefined;
    const present = activeOption(text, "everything").trim();
    return isSameValue(collapseBlanks(action.value), collapseBlanks(present)) ? undefined : present;
  }
  const expected =
    action.type === "file" ? action.text : setKeys(text ?? "", new Map(Object.entries(action.values)), action.add);
  return (text ?? null) === expected ? undefined : (text ?? "");
}
