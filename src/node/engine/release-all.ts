import type { Host } from "../host/host.ts";
import type { RollbackOptions, RollbackReport } from "./engine.ts";
import { journalPath, loadJournal, onLedger, storeJournal } from "./journal.ts";
import { putBack } from "./put-back.ts";

export interface ReleaseAll extends RollbackOptions {
  host: Host;
  owner: string;
}

/** Releases every claim of an owner. */
export function releaseAll({ host, owner, extent }: ReleaseAll): Promise<RollbackReport> {
  return onLedger(host, async () => {
    const journal = await loadJournal(host);
    const restored = await putBack({ ledger: journal.ledger, host, owner, which: () => true, extent });
    const failed = await storeJournal(host, journal);
    // What is restored now is restored again by the next roll-back, which may be able to write.
    return { restored: failed === undefined ? restored : [...restored, { target: journalPath, value: "", failed }] };
  });
}
