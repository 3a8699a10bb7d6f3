import type { PerftuneOptions } from "../../domain/scylla/perftune/option/perftune-options.ts";
import type { PerftuneRefusal } from "../../domain/scylla/perftune/plan.ts";
import { planChannels } from "../../domain/scylla/perftune/plan-channels.ts";
import { planTuning } from "../../domain/scylla/perftune/plan-tuning.ts";
import { forgetGone } from "../engine/forget-gone.ts";
import { loadJournal, onLedger, saveJournal } from "../engine/journal.ts";
import { perftuneOwner } from "../engine/ledger.ts";
import { claimOf, isChange, type UnitStep } from "../engine/unit-step.ts";
import type { Host } from "../host/host.ts";
import { readFacts } from "./facts/read-facts.ts";
import { cardsOf } from "./network-cards.ts";
import { planActions } from "./plan-actions.ts";
import { planChannelKind, type Planning } from "./plan-steps.ts";
import { resizedBy } from "./run-perftune.ts";

export interface Recorded {
  readonly type: "recorded";
  /** How many settings are claimed. */
  readonly targets: number;
}

/**
 * Claims what the perftune of the database's image will change when it runs next: it records nothing. TuneD settings and profiles
 * then yield to it, and its changes can be put back. Changes nothing itself.
 */
export function recordOriginals(host: Host, options: PerftuneOptions): Promise<Recorded | PerftuneRefusal> {
  return onLedger(host, async () => {
    const journal = await loadJournal(host);
    const { ledger } = journal;
    await forgetGone(ledger, host);
    const facts = await readFacts(host, options, ledger);
    const channels = planChannels(options, facts);
    if (channels.type === "refused") return channels;
    const asWanted = new Set([...channels.asWanted, ...resizedBy(channels.steps)]);
    const tuning = planTuning(options, facts, { asWanted, isDryRun: true });
    if (tuning.type === "refused") return tuning;

    const planning: Planning = { host, ledger };
    const cards = cardsOf(facts);
    const steps: UnitStep[] = [];
    for (const step of channels.steps) {
      if (step.type !== "set-channels") continue;
      const card = cards.get(step.nic);
      const kind = step.kinds.find((one) => card?.channels?.current[one] !== undefined);
      if (kind !== undefined) steps.push(await planChannelKind(step, kind, card, planning));
    }
    for (const one of await planActions(tuning.steps, planning)) if ("steps" in one) steps.push(...one.steps);

    let targets = 0;
    for (const step of steps) {
      if (!isChange(step) || step.undo.length === 0) continue;
      targets++;
      // That program writes what is as wanted, too.
      ledger.claim(step, { ...claimOf(step, perftuneOwner), made: true }, step.alias);
    }
    await saveJournal(host, journal);
    return { type: "recorded", targets };
  });
}
