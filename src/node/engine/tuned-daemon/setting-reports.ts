import type { About, SettingReport } from "../engine.ts";
import { heldReport } from "../enforce.ts";
import type { Claim } from "../ledger.ts";
import { aboutOf, type UnitStep } from "../unit-step.ts";
import type { LogRecord } from "./log-record.ts";
import type { LeftOut } from "./render-profile.ts";
import type { Round } from "./round.ts";

export interface Seen {
  /** The plan before TuneD applied the profile. */
  readonly before: readonly UnitStep[];
  /** The plan to verify afterwards. */
  readonly after: readonly UnitStep[];
  readonly left: readonly LeftOut[];
  readonly round: Round;
  /** The claim of another owner that holds a target against the profile. */
  readonly holder: (target: string) => Claim | undefined;
}

/**
 * The result of each setting. TuneD logs "applied" even if something failed, so the node is compared with the plan; TuneD's
 * errors and warnings are added in its own words, because some of their causes cannot be seen on the node.
 */
export function settingReports({ before, after, left, round, holder }: Seen): SettingReport[] {
  // Of several settings of one target the last is in force.
  const last = new Map(before.flatMap((step) => ("target" in step ? [[step.target, step] as const] : [])));
  const remaining = new Map(after.flatMap((step) => (step.type === "change" ? [[key(step), step] as const] : [])));
  return [
    ...round.errors.map((record): SettingReport => ({ ...nowhere, type: "failed", message: recordText(record) })),
    ...left.map(({ message, ...about }): SettingReport => ({ ...about, type: "failed", message })),
    ...before.map(
      (step) => held(step, holder) ?? overridden(step, last, round) ?? settingReport(step, remaining.get(key(step))),
    ),
    ...round.warnings.map((record): SettingReport => ({
      ...nowhere,
      type: "skipped",
      level: "warning",
      message: recordText(record),
    })),
  ];
}

const nowhere: About = { unit: "TuneD", option: "", from: "" };

function held(step: UnitStep, holder: Seen["holder"]): SettingReport | undefined {
  const claim = "target" in step ? holder(step.target) : undefined;
  if (!("target" in step) || !claim || claim.value === step.value) return undefined;
  return heldReport(aboutOf(step), step, claim);
}

/** The report of a setting that a later unit, or a sysctl file of the node, sets to another value. */
function overridden(
  step: UnitStep,
  last: ReadonlyMap<string, UnitStep>,
  { overrides }: Round,
): SettingReport | undefined {
  if (!("target" in step)) return undefined;
  const { option, target, value } = step;
  const override = overrides.find(({ parameter }) => parameter === option);
  if (override) {
    const by = { unit: "the node's sysctl files", option, from: "/etc/sysctl.d", value: override.to };
    return { ...aboutOf(step), type: "overridden", target, value, by };
  }
  const winner = last.get(target);
  if (!winner || !("target" in winner) || winner.value === value) return undefined;
  const by = { unit: winner.unit, option: winner.option, from: winner.from, value: winner.value };
  return { ...aboutOf(step), type: "overridden", target, value, by };
}

function settingReport(step: UnitStep, remains: UnitStep | undefined): SettingReport {
  const about = aboutOf(step);
  if (step.type === "impossible") return { ...about, type: "failed", message: step.message };
  if (step.type === "skipped")
    return { ...about, type: "skipped", level: step.level ?? "warning", message: step.message };
  const { target, value, note } = step;
  const noted = note === undefined ? {} : { note };
  if (remains?.type === "change" && remains.verified !== false && !remains.always) {
    const found = JSON.stringify(remains.before);
    return {
      ...about,
      type: "failed",
      message: `is ${found} after TuneD applied the profile, expected ${JSON.stringify(value)}`,
    };
  }
  if (step.type === "same" && !step.always) return { ...about, type: "same", target, value, ...noted };
  return { ...about, type: "set", target, value, before: step.before, ...noted };
}

function key({ unit, option, device, ...step }: UnitStep): string {
  return JSON.stringify([unit, option, device, "target" in step ? step.target : ""]);
}

export function recordText({ message, details }: LogRecord): string {
  // Without the traceback, but with the further lines of a message.
  const rest = details.findIndex((line) => line.startsWith("Traceback"));
  return [message, ...(rest < 0 ? details : details.slice(0, rest))].join("\n");
}
