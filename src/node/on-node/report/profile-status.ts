import type { Repaired } from "../../engine/drift.ts";
import type { ApplyReport, SettingReport } from "../../engine/engine.ts";
import type { Hardware, Profile, ProfileStatus } from "../../../domain/node-tuning/api.ts";
import { type Condition, findCondition, setCondition } from "../../../language/object/condition.ts";
import { formatProblem } from "../../../language/tuned/problem.ts";
import { formatSetting, joinParts } from "./condition-message.ts";
import { reportedExceptions } from "./reported-exceptions.ts";
import { reportedSettings } from "./reported-settings.ts";
import type { Applied, InForce, TuneOutcome, Tuning } from "../tune-outcome.ts";

type ConditionState = Pick<Condition, "status" | "reason" | "message">;

/** The status that an agent reports: the same for the same outcome. Unknown parts stay as reported before. */
export function profileStatus(
  profile: Profile,
  { outcome, inForce }: Tuning,
  now: string,
  hardware: Hardware | undefined = profile.status?.hardware,
): ProfileStatus {
  const before = profile.status?.conditions ?? [];
  const applied = setCondition(before, { type: "Applied", ...appliedState(outcome) }, now);
  const degraded = setCondition(applied, { type: "Degraded", ...degradedState(outcome) }, now);
  const conditions = setDrifted(degraded, outcome, now);
  return {
    ...reportedBefore(profile, inForce === undefined),
    ...inForce,
    ...settingsOf(profile, outcome, inForce, now),
    conditions: [...conditions],
    observedGeneration: profile.metadata.generation,
    ...(hardware ? { hardware } : {}),
  };
}

/** Of the profile in force: a change that is deferred or failed leaves those before it. */
function settingsOf(
  { status = { tunedProfile: "" } }: Profile,
  outcome: TuneOutcome,
  inForce: InForce | undefined,
  now: string,
): Pick<ProfileStatus, ReportOfSettings> {
  const applied = appliedIn(outcome);
  if (applied) return { ...reportedSettings(applied), ...reportedExceptions(applied, status.exceptions ?? [], now) };
  if (!status.settings || (inForce ?? status).tunedProfile !== status.tunedProfile) return {};
  const kept = reportsOfSettings.filter((field) => status[field] !== undefined);
  return Object.fromEntries(kept.map((field) => [field, status[field]]));
}

const reportsOfSettings = ["settings", "settingsOmitted", "exceptions", "exceptionsOmitted"] as const;
type ReportOfSettings = (typeof reportsOfSettings)[number];

/** What was applied last, as far as this agent knows. */
function appliedIn(outcome: TuneOutcome): Applied | undefined {
  if (outcome.type === "deferred") return outcome.before;
  return outcome.type === "applied" ? outcome : undefined;
}

/** Boot arguments stay until others are reported; `all`: and what the node reported along with them. */
function reportedBefore({ status }: Profile, all: boolean): InForce {
  const { tunedProfile = "", bootcmdline, bootcmdlineInputs, bootcmdlinePending, answers } = status ?? {};
  return {
    tunedProfile,
    ...(bootcmdlineInputs === undefined ? {} : { bootcmdline, bootcmdlineInputs }),
    ...(all && bootcmdlinePending !== undefined ? { bootcmdlinePending } : {}),
    ...(all && answers ? { answers } : {}),
  };
}

function appliedState(outcome: TuneOutcome): ConditionState {
  if (outcome.type === "deferred") return { status: "False", reason: "Deferred", message: waiting(outcome) };
  if (outcome.type !== "applied") return { status: "False", reason: "Failed", message: whyNot(outcome) };
  const { report, engine } = outcome;
  const by = engine ? ` Engine ${engine.engine}: ${engine.reason}.` : "";
  return { status: "True", reason: "AsExpected", message: `${extentOf(report)}.${by}` };
}

function extentOf({ settings }: ApplyReport): string {
  const failed = settings.filter(({ type }) => type === "failed").length;
  if (failed === 0) return "TuneD profile applied";
  // Applied stays True, and its message begins so, even if every setting failed: the Go operator's does, and scripts look
  // for it. Boot arguments of such a profile still reach the pool.
  return `TuneD profile applied. ${failed} of ${settings.length} settings failed (see Degraded)`;
}

function degradedState(outcome: TuneOutcome): ConditionState {
  if (outcome.type === "deferred") {
    const before = outcome.before && degradedState(outcome.before);
    if (before?.reason === "TunedError") return { ...before, message: `${before.message}; ${waiting(outcome)}` };
    return { status: "True", reason: "TunedDeferredUpdate", message: waiting(outcome) };
  }
  if (outcome.type !== "applied") return { status: "True", reason: "TunedError", message: whyNot(outcome) };
  const { settings, restored } = outcome.report;
  const failures = settings.flatMap(describeFailure);
  const errors = [
    ...failures,
    ...restored.flatMap(({ target, failed }) =>
      failed === undefined ? [] : [`cannot roll back ${target}: ${failed}`],
    ),
    ...outcome.drift.filter(({ failed }) => failed !== undefined).map(describeDrift),
    ...outcome.troubles.filter((trouble) => !failures.some((failure) => failure.includes(trouble))),
  ];
  const refusals = outcome.warnings.filter((warning) => warning.refused === true).map(formatProblem);
  if (errors.length > 0) return { status: "True", reason: "TunedError", message: joinParts([...errors, ...refusals]) };
  const overrides = settings.flatMap(describeOverride);
  if (overrides.length > 0)
    return { status: "True", reason: "TunedSysctlOverride", message: joinParts([...overrides, ...refusals]) };
  const warnings = [
    ...outcome.drift.map(describeDrift),
    ...outcome.warnings.map(formatProblem),
    ...settings.flatMap(describeSkipped),
    ...describeHeld(settings),
  ];
  if (warnings.length > 0) return { status: "False", reason: "TunedWarning", message: joinParts(warnings) };
  return { status: "False", reason: "AsExpected", message: "No errors." };
}

/** Degraded has other reasons too, so the operator counts drifted nodes by this condition. Nodes that never drifted have none. */
function setDrifted(conditions: readonly Condition[], outcome: TuneOutcome, now: string): readonly Condition[] {
  const drift = appliedIn(outcome)?.drift ?? [];
  if (drift.length === 0 && !findCondition(conditions, "Drifted")) return conditions;
  return setCondition(conditions, { type: "Drifted", ...driftedState(drift) }, now);
}

function driftedState(drift: readonly Repaired[]): ConditionState {
  if (drift.length === 0) return { status: "False", reason: "AsExpected", message: "No drift." };
  return {
    status: "True",
    reason: driftReason(drift),
    message: joinParts(drift.map(describeDrift)),
  };
}

/** Changed back and forth this often, a setting has two owners. */
const contestedTimes = 3;

function driftReason(drift: readonly Repaired[]): string {
  if (drift.some(({ failed }) => failed !== undefined)) return "RepairFailed";
  const isContested = drift.some(({ times = 1, waiting }) => waiting || times >= contestedTimes);
  return isContested ? "Contested" : "Repaired";
}

function waiting({ profile }: Extract<TuneOutcome, { type: "deferred" }>): string {
  return `The change is waiting for the next node restart: ${profile}`;
}

function describeDrift({ target, owner, from, expected, found, failed, times, waitMs = 0, waiting }: Repaired): string {
  const changed = `another process changed ${target} to ${JSON.stringify(found)}`;
  const done = waiting ? "not yet set back" : "set back";
  const back = failed === undefined ? done : `cannot be set back (${failed})`;
  const again = times === undefined ? "" : ` (${times} times; again after ${waitMs / 1000} s at the earliest)`;
  return `${changed}, ${back} to ${JSON.stringify(expected)} for ${owner}: ${from}${again}`;
}

function whyNot(outcome: Extract<TuneOutcome, { type: "failed" | "invalid" }>): string {
  return joinParts(outcome.type === "failed" ? [outcome.message] : outcome.problems.map(formatProblem));
}

function describeFailure(setting: SettingReport): string[] {
  return setting.type === "failed" ? [formatSetting(setting, setting.message)] : [];
}

function describeSkipped(setting: SettingReport): string[] {
  if (setting.type !== "skipped" || setting.level !== "warning") return [];
  return [formatSetting(setting, setting.message)];
}

/** What other owners hold, once for each option: perftune may hold hundreds of interrupts. */
function describeHeld(settings: readonly SettingReport[]): string[] {
  const held = new Map<string, { first: SettingReport; owner: string; targets: string[] }>();
  for (const setting of settings) {
    if (setting.type !== "overridden" || setting.by.owner === undefined) continue;
    const { owner } = setting.by;
    const key = JSON.stringify([setting.unit, setting.option, owner]);
    const known = held.get(key);
    if (known) known.targets.push(setting.target);
    else held.set(key, { first: setting, owner, targets: [setting.target] });
  }
  return [...held.values()].map(({ first, owner, targets: [target = "", ...more] }) => {
    const what = more.length === 0 ? `${target} is` : `${target} and ${more.length} more are`;
    return formatSetting(first, `${what} held by ${owner}`);
  });
}

/** Only for the node's own sysctl files: another unit of the same profile may override a setting on purpose. */
function describeOverride(setting: SettingReport): string[] {
  if (setting.type !== "overridden" || !/^\/(etc|run)\/sysctl\./.test(setting.by.from)) return [];
  const { by, value } = setting;
  const message = `${by.from} sets ${JSON.stringify(by.value)} instead of ${JSON.stringify(value)}`;
  return [formatSetting(setting, message)];
}
