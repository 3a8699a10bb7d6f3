import type { PerftuneAction } from "../../domain/scylla/perftune/action.ts";
import type { HostFacts } from "../../domain/scylla/perftune/host-facts.ts";
import type { PerftuneOptions } from "../../domain/scylla/perftune/option/perftune-options.ts";
import type { PerftunePlan, PerftuneRefusal, PerftuneStep } from "../../domain/scylla/perftune/plan.ts";
import { planChannels, type PlannedChannels } from "../../domain/scylla/perftune/plan-channels.ts";
import { planTuning } from "../../domain/scylla/perftune/plan-tuning.ts";
import type { SettingReport } from "../engine/engine.ts";
import { settleSteps } from "../engine/enforce.ts";
import { forgetGone } from "../engine/forget-gone.ts";
import { type Journal, loadJournal, onLedger, readLedger } from "../engine/journal.ts";
import { perftuneOwner } from "../engine/ledger.ts";
import type { Host } from "../host/host.ts";
import { readFacts } from "./facts/read-facts.ts";
import { cardsOf } from "./network-cards.ts";
import { planChannelKind } from "./plan-steps.ts";
import { type ActionSteps, planActions } from "./plan-actions.ts";
import { finishRestarts } from "./restart.ts";

export interface PerftuneRun {
  readonly type: "tuned";
  /** In the order in which it was done. */
  readonly results: readonly PerftuneResult[];
}

export type PerftuneResult =
  | { readonly type: "note"; readonly text: string }
  | {
      /** `same`: it was so already. `refused`: the kernel keeps it as it is. `failed`: the run went on. */
      readonly type: "set" | "same" | "refused" | "failed";
      readonly action: PerftuneAction;
      /** Why it was refused or failed. */
      readonly message?: string;
    };

/**
 * Tunes a host. Originals are on disk before the first change, settings that are as wanted are not written, and what the host
 * refuses does not stop the rest. No other process of the host works on the ledger meanwhile.
 */
export function runPerftune(host: Host, options: PerftuneOptions): Promise<PerftuneRun | PerftuneRefusal> {
  return onLedger(host, async () => {
    const journal = await loadJournal(host);
    await forgetGone(journal.ledger, host);
    const before = await readFacts(host, options, journal.ledger);
    const channels = planChannels(options, before);
    if (channels.type === "refused") return channels;
    const run: Run = { host, journal };
    const resized = await resize(channels, before, run);
    const facts = resized.isChanged ? await readFacts(host, options, journal.ledger) : before;
    const tuning = planTuning(options, facts, { asWanted: resized.nics, isDryRun: false });
    if (tuning.type === "refused") return tuning;
    const results = [...resized.results, ...(await tune(tuning.steps, run))];
    return { type: "tuned", results };
  });
}

/**
 * What a run would do: as if every card took the number of queues, and with the IRQs and queues that it has now. Changes
 * nothing.
 */
export async function previewPerftune(host: Host, options: PerftuneOptions): Promise<PerftunePlan> {
  const facts = await readFacts(host, options, await readLedger(host));
  const channels = planChannels(options, facts);
  if (channels.type === "refused") return channels;
  const asWanted = new Set([...channels.asWanted, ...resizedBy(channels.steps)]);
  const tuning = planTuning(options, facts, { asWanted, isDryRun: true });
  return tuning.type === "refused" ? tuning : { type: "planned", steps: [...channels.steps, ...tuning.steps] };
}

/** The cards whose number of queues a plan changes. */
export function resizedBy(steps: readonly PerftuneStep[]): string[] {
  return steps.flatMap((step) => (step.type === "set-channels" ? [step.nic] : []));
}

interface Run {
  readonly host: Host;
  readonly journal: Journal;
}

interface Resized {
  readonly nics: ReadonlySet<string>;
  readonly isChanged: boolean;
  readonly results: PerftuneResult[];
}

/** Sets the number of queues of each card, by the first kind that its driver takes. */
async function resize({ steps, asWanted }: PlannedChannels, facts: HostFacts, run: Run): Promise<Resized> {
  const nics = new Set(asWanted);
  const results: PerftuneResult[] = [];
  let isChanged = false;
  const cards = cardsOf(facts);
  for (const step of steps) {
    if (step.type !== "set-channels") {
      if (step.type === "note") results.push(step);
      continue;
    }
    const refusals: string[] = [];
    for (const kind of step.kinds) {
      const one = { ...step, kinds: [kind] };
      const planned = await planChannelKind(one, kind, cards.get(step.nic), {
        host: run.host,
        ledger: run.journal.ledger,
      });
      const isNew = "target" in planned && run.journal.ledger.find(planned.target) === undefined;
      const [report] = await settleSteps([planned], { ...run, owner: perftuneOwner });
      if (report?.type === "set" || report?.type === "same") {
        results.push({ type: report.type, action: one });
        nics.add(step.nic);
        isChanged ||= report.type === "set";
        break;
      }
      // ethtool sets all or nothing.
      if (isNew && "target" in planned) run.journal.ledger.release(planned.target, perftuneOwner);
      refusals.push(messageOf(report));
    }
    if (!nics.has(step.nic)) results.push({ type: "failed", action: step, message: refusals.join("; ") });
  }
  return { nics, isChanged, results };
}

/** Everything but the number of queues: all originals go to disk in one write. */
async function tune(steps: readonly PerftuneStep[], { host, journal }: Run): Promise<PerftuneResult[]> {
  const { ledger } = journal;
  const planned = await planActions(steps, { host, ledger });
  const all = planned.flatMap((one) => ("steps" in one ? one.steps : []));
  const reports = await settleSteps(all, { host, journal, owner: perftuneOwner });
  const reportOf = new Map(all.map((step, index) => [step, reports[index]]));
  const results = planned.flatMap((one): PerftuneResult[] => {
    if (!("steps" in one)) return [one];
    const step = one.steps.at(-1);
    if (!step) return [];
    const isRefused = "target" in step && ledger.find(step.target)?.refused === true;
    return [resultOf(one, reportOf.get(step), isRefused)];
  });
  const targets = (type: SettingReport["type"]): Set<string> =>
    new Set(all.flatMap((step) => ("target" in step && reportOf.get(step)?.type === type ? [step.target] : [])));
  const late = await finishRestarts({ host, journal, set: targets("set"), failed: targets("failed") });
  return [
    ...results,
    ...late.map((message): PerftuneResult => ({ type: "failed", action: { type: "run", argv: [] }, message })),
  ];
}

function resultOf({ action }: ActionSteps, report: SettingReport | undefined, isRefused: boolean): PerftuneResult {
  if (report?.type === "set" || report?.type === "same")
    return isRefused
      ? { type: "refused", action, message: "the kernel manages its CPUs" }
      : { type: report.type, action };
  // Another action of this run sets the same file.
  if (report?.type === "overridden") return { type: "same", action };
  return { type: "failed", action, message: messageOf(report) };
}

function messageOf(report: SettingReport | undefined): string {
  return report && "message" in report ? report.message : "";
}
