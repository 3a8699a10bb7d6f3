import { carryOut } from "../engine/carry-out.ts";
import { type Journal, saveJournal } from "../engine/journal.ts";
import { perftuneOwner } from "../engine/ledger.ts";
import type { Host } from "../host/host.ts";
import { isBansTarget, restartTarget } from "./targets.ts";

export interface Restart {
  readonly host: Host;
  readonly journal: Journal;
  /** Targets that this run has set, and whose program has run. */
  readonly set: ReadonlySet<string>;
  /** Targets that failed in this run. */
  readonly failed: ReadonlySet<string>;
}

/**
 * Restarts irqbalance where an earlier run could not: it had written the bans, and then was killed, or the restart failed. The
 * ledger keeps with which bans it was started. Returns why it cannot be restarted.
 */
export async function finishRestarts({ host, journal, set, failed }: Restart): Promise<string[]> {
  const { ledger } = journal;
  const failures: string[] = [];
  for (const { target, claims } of ledger.entries()) {
    const claim = claims.find(({ owner }) => owner === perftuneOwner);
    if (!claim?.made || !isBansTarget(target) || failed.has(target)) continue;
    const started = restartTarget(target);
    if (ledger.find(started)?.claims.at(-1)?.value === claim.value) continue;
    if (!set.has(target)) {
      const outcome = await carryOut(
        claim.actions.filter(({ type }) => type === "run"),
        host,
      );
      if (outcome.type === "failed") {
        failures.push(outcome.message);
        continue;
      }
    }
    const { value, from } = claim;
    const nothing = { actions: [], undo: [] };
    ledger.claim(
      { type: "same", target: started, before: "", value, lasts: "persistent", ...nothing },
      { owner: perftuneOwner, from, value, actions: [], made: false },
    );
    await saveJournal(host, journal);
  }
  return failures;
}
