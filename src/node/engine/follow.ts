import type { Host } from "../host/host.ts";
import { isSameValue } from "../../language/tuned/value.ts";
import type { ApplyReport } from "./engine.ts";
import { alreadyThere, settleSteps } from "./enforce.ts";
import { forgetGone } from "./forget-gone.ts";
import { loadJournal, onLedger } from "./journal.ts";
import type { Ledger } from "./ledger.ts";
import type { Follow } from "./plugin.ts";
import { type ChangeStep, claimOf, isChange, type UnitStep } from "./unit-step.ts";

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
export function followProfile(input: FollowInput): Promise<ApplyReport> {
  return onLedger(input.host, () => followNow(input));
}

async function followNow({ host, owner, follow, plan }: FollowInput): Promise<ApplyReport> {
  const journal = await loadJournal(host);
  const { ledger } = journal;
  await forgetGone(ledger, host);
  const planned = await plan(ledger);
  const there = alreadyThere(planned);
  const steps = planned.filter((step) => {
    const isNew = isOfNewDevice(step, follow);
    if (!isChange(step)) return isNew;
    if (isClaimed(step, ledger, owner))
      return (isNew || follow.occasion !== "devices") && !there.has(step) && isDrifted(step, ledger, owner);
    // A target without a claim is new. What is always carried out was so when the profile was applied.
    return isNew || (step.type === "change" && !step.always && !there.has(step));
  });
  return { settings: await settleSteps(steps, { host, journal, owner }), restored: [] };
}

function isClaimed({ target }: ChangeStep, ledger: Ledger, owner: string): boolean {
  return ledger.find(target)?.claims.some((claim) => claim.owner === owner) === true;
}

function isOfNewDevice({ device }: UnitStep, follow: Follow): boolean {
  return device !== undefined && follow.occasion === "devices" && follow.devices.has(device);
}

/** Not if a later unit sets the target, or if setting it failed: a full apply tries that again. */
function isDrifted(step: ChangeStep, ledger: Ledger, owner: string): boolean {
  const entry = ledger.find(step.target);
  const claim = entry?.claims.at(-1);
  if (!entry || claim?.owner !== owner || claim.from !== claimOf(step, owner).from) return false;
  if (claim.kept === step.before) return false;
  if (!claim.made && !isSameValue(claim.value, entry.before)) return false;
  // Parameters that one program sets together are set again together.
  return step.type === "change" ? !step.always : step.always === true;
}
