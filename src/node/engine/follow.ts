import type { Host } from "../host/host.ts";
import { isSameValue } from "../../language/tuned/value.ts";
import type { ApplyReport } from "./engine.ts";
import { settleSteps } from "./enforce.ts";
import { forgetGone } from "./forget-gone.ts";
import { loadJournal } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { Follow } from "./plugin.ts";
import { claimOf, isCarriedOut, isChange, type UnitStep } from "./unit-step.ts";

export interface FollowInput {
  host: Host;
  owner: string;
  follow: Follow;
  plan: (ledger: Ledger) => Promise<readonly UnitStep[]>;
}

/**
 * Sets what a profile in force wants of devices and processes that are new, and what another process changed since. Settings
 * that are as they were set are not written again, scripts do not run again, and nothing is rolled back.
 */
export async function followProfile({ host, owner, follow, plan }: FollowInput): Promise<ApplyReport> {
  const journal = await loadJournal(host);
  const { ledger } = journal;
  await forgetGone(ledger, host);
  const devices: ReadonlySet<string> = follow.occasion === "devices" ? follow.devices : new Set();
  const isNew = ({ device }: UnitStep): boolean => device !== undefined && devices.has(device);
  const steps = (await plan(ledger)).filter((step) =>
    isChange(step) ? isDue(step, isNew(step), ledger, owner) : isNew(step),
  );
  return { settings: await settleSteps(steps, { host, journal, owner }), restored: [] };
}

function isDue(step: Extract<UnitStep, { target: string }>, isNew: boolean, ledger: Ledger, owner: string): boolean {
  const entry = ledger.find(step.target);
  const claim = entry?.claims.find((one) => one.owner === owner);
  // What is always carried out was so when the profile was applied.
  if (!entry || !claim) return isNew ? isCarriedOut(step) : step.type === "change" && !step.always;
  // A later unit sets the target, or its setting failed: a full apply tries that again.
  if (claim.from !== claimOf(step, owner).from) return false;
  if (!claim.made && !isSameValue(claim.value, entry.before)) return false;
  return step.type === "change" ? !step.always : step.always === true;
}
