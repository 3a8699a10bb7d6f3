import type { Host } from "../host/host.ts";
import { isSameValue } from "../../language/tuned/value.ts";
import { carryOut, mayJoin } from "./carry-out.ts";
import { keptInstead } from "./drift.ts";
import type { Action, ActionOutcome } from "./action.ts";
import type { About, ApplyReport, SettingReport } from "./engine.ts";
import { type Journal, loadJournal, onLedger, saveJournal } from "./journal.ts";
import type { Claim, Ledger } from "./ledger.ts";
import { aboutOf, type ChangeStep, claimOf, isCarriedOut, isChange, type UnitStep } from "./unit-step.ts";
import { putBack } from "./put-back.ts";

export interface Enforce {
  host: Host;
  /** Claims of other owners stay; of several owners of one target, the last to claim it is in force. */
  owner: string;
  plan: (ledger: Ledger) => Promise<readonly UnitStep[]>;
}

/**
 * Carries out a plan, and rolls back what an earlier plan of this owner changed and this one does not. Every original is
 * in the journal on disk before the first change.
 */
export function enforce(input: Enforce): Promise<ApplyReport> {
  return onLedger(input.host, () => enforceNow(input));
}

async function enforceNow({ host, owner, plan }: Enforce): Promise<ApplyReport> {
  const journal = await loadJournal(host);
  const { ledger } = journal;
  let steps = await plan(ledger);
  const wanted = new Set(steps.flatMap((step) => (isChange(step) ? [step.target] : [])));
  const restored = await putBack({ ledger, host, owner, which: ({ target }) => !wanted.has(target) });
  // The plan may have read values that were rolled back since.
  if (restored.length > 0) steps = await plan(ledger);

  return { settings: await settleSteps(steps, { host, journal, owner }), restored };
}

/** Carries out steps, and returns when every original was in the journal on disk before the first change. */
export async function settleSteps(
  steps: readonly UnitStep[],
  { host, journal, owner }: { host: Host; journal: Journal; owner: string },
): Promise<SettingReport[]> {
  const { ledger } = journal;
  const winners = winnersOf(steps);
  const made = new Set(
    ledger.entries().flatMap(({ target, claims }) => (claims.some((claim) => claim.made) ? [target] : [])),
  );
  const there = alreadyThere(steps);
  const drifted = new Set(steps.filter((step) => !there.has(step) && isDrift(step, ledger, owner)));
  for (const step of steps) if (isChange(step)) record(step, winners, ledger, owner);
  await saveJournal(host, journal);

  const settings = await settle(steps, winners, { host, ledger, owner, drifted, made });
  await saveJournal(host, journal);
  return settings;
}

/** Whether this owner had set the target to this value, and another process changed it since. */
export function isDrift(step: UnitStep, ledger: Ledger, owner: string): boolean {
  if (step.type !== "change" || step.always) return false;
  const entry = ledger.find(step.target);
  const claim = entry?.claims.at(-1);
  if (!entry || claim?.owner !== owner || claim.value !== step.value || claim.kept === step.before) return false;
  return claim.made || isSameValue(claim.value, entry.before);
}

/** Steps whose value the node has, although they were planned for the value that an earlier unit would set. */
export function alreadyThere(steps: readonly UnitStep[]): ReadonlySet<UnitStep> {
  const found = new Map<string, string>();
  for (const step of steps) if (isChange(step) && !found.has(step.target)) found.set(step.target, step.before);
  return new Set(steps.filter((step) => isChange(step) && !step.always && found.get(step.target) === step.value));
}

/** For each target the step that wins: the last one that changes it. */
function winnersOf(steps: readonly UnitStep[]): Map<string, ChangeStep> {
  const winners = new Map<string, ChangeStep>();
  for (const step of steps) {
    if (!isChange(step)) continue;
    const before = winners.get(step.target);
    if (!before || (step.type === "change" && (before.type === "same" || before.value !== step.value)))
      winners.set(step.target, step);
  }
  return winners;
}

function record(step: ChangeStep, winners: ReadonlyMap<string, ChangeStep>, ledger: Ledger, owner: string): void {
  if (step.undo.length === 0) return;
  const winner = winners.get(step.target) ?? step;
  // The first step to a target read its value before this plan changed it.
  ledger.claim(step, claimOf(winner, owner), step.alias);
}

interface Settle {
  host: Host;
  ledger: Ledger;
  owner: string;
  drifted: ReadonlySet<UnitStep>;
  /** Targets that any owner had changed before this plan. */
  made: ReadonlySet<string>;
}

async function settle(
  steps: readonly UnitStep[],
  winners: ReadonlyMap<string, ChangeStep>,
  { host, ledger, owner, drifted, made }: Settle,
): Promise<SettingReport[]> {
  const reports = new Map<UnitStep, SettingReport>();
  const due: ChangeStep[] = [];
  for (const step of steps) {
    const report = withoutActing(step, winners, ledger, owner);
    if (report) reports.set(step, report);
    else if (isChange(step)) due.push(step);
  }
  for (const batch of batches(due)) {
    const outcome = await carryOut(
      batch.flatMap(({ actions }) => actions),
      host,
    );
    for (const step of batch) {
      if (outcome.type === "done" && outcome.refused !== undefined) ledger.refuse(step.target);
      if (outcome.type === "failed" && isOneWrite(step) && !made.has(step.target)) ledger.unmake(step.target, owner);
      const kept = isCarried(outcome) && isOneWrite(step) ? await keptInstead(step.actions[0], host) : undefined;
      ledger.keep(step.target, owner, kept);
      const noted = kept === undefined ? step : { ...step, note: `the kernel made it ${JSON.stringify(kept)}` };
      // A journal that an earlier version wrote does not say what the kernel keeps.
      reports.set(step, reportOf(noted, outcome, drifted.has(step) && kept !== step.before));
    }
  }
  return steps.flatMap((step) => reports.get(step) ?? []);
}

/** A write takes effect or fails; a program that failed may have done half of its work. */
function isOneWrite(step: ChangeStep): step is ChangeStep & { actions: readonly [Action] } {
  return step.actions.length === 1 && step.actions[0]?.type === "write";
}

function isCarried(outcome: ActionOutcome): boolean {
  return outcome.type === "done" && outcome.refused === undefined;
}

/** Consecutive steps that can be one program are carried out together. */
function batches(steps: readonly ChangeStep[]): ChangeStep[][] {
  const groups: ChangeStep[][] = [];
  let before: ChangeStep | undefined;
  for (const step of steps) {
    if (before && mayJoin(before.actions, step.actions)) groups.at(-1)?.push(step);
    else groups.push([step]);
    before = step;
  }
  return groups;
}

/** The report of a step that needs no action; `undefined` for a step that does. */
function withoutActing(
  step: UnitStep,
  winners: ReadonlyMap<string, ChangeStep>,
  ledger: Ledger,
  owner: string,
): SettingReport | undefined {
  const about = aboutOf(step);
  if (step.type === "impossible") return { ...about, type: "failed", message: step.message };
  if (step.type === "skipped")
    return { ...about, type: "skipped", level: step.level ?? "warning", message: step.message };
  const { target, value, note } = step;
  const winner = winners.get(target);
  if (winner && winner !== step && winner.value !== value) {
    const by = { unit: winner.unit, option: winner.option, from: winner.from, value: winner.value };
    return { ...about, type: "overridden", target, value, by };
  }
  const holder = ledger.holder(target, owner);
  if (holder && holder.value !== value) return heldReport(about, { target, value }, holder);
  if (winner === step && isCarriedOut(step) && !holder) return undefined;
  return { ...about, type: "same", target, value, ...(note === undefined ? {} : { note }) };
}

/** The report of a setting that another owner holds. */
export function heldReport(
  about: About,
  { target, value }: Pick<ChangeStep, "target" | "value">,
  { owner, from, value: present }: Claim,
): SettingReport {
  return { ...about, type: "overridden", target, value, by: { unit: owner, option: "", from, value: present, owner } };
}

function reportOf(step: ChangeStep, outcome: ActionOutcome, drifted: boolean): SettingReport {
  const about = aboutOf(step);
  if (outcome.type === "failed") return { ...about, type: "failed", message: outcome.message };
  const { target, value, before, note } = step;
  return {
    ...about,
    type: "set",
    target,
    value,
    before,
    ...(drifted ? { drifted } : {}),
    ...(note === undefined ? {} : { note }),
  };
}
