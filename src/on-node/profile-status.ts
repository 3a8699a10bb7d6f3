import type { SettingReport } from "../engine/engine.ts";
import type { Profile, ProfileStatus } from "../node-tuning/api.ts";
import { inputsOf } from "../node-tuning/inputs.ts";
import { type Condition, setCondition } from "../object/condition.ts";
import { formatProblem } from "../tuned/problem.ts";
import type { TuneOutcome } from "./tune.ts";

type Finding = Pick<Condition, "status" | "reason" | "message">;

/** What a node says of its Profile. Two runs with the same outcome say the same. */
export function profileStatus(profile: Profile, outcome: TuneOutcome, now: string): ProfileStatus {
  const before = profile.status?.conditions ?? [];
  const applied = setCondition(before, { type: "Applied", ...appliedFinding(outcome) }, now);
  const conditions = setCondition(applied, { type: "Degraded", ...degradedFinding(outcome) }, now);
  return {
    ...inForce(profile, outcome),
    conditions: [...conditions],
    observedGeneration: profile.metadata.generation,
  };
}

/** Whatever was in force before is still, where nothing was applied. */
function inForce({ spec, status }: Profile, outcome: TuneOutcome): Omit<ProfileStatus, "conditions"> {
  if (outcome.type === "applied")
    return {
      tunedProfile: spec.config.tunedProfile,
      bootcmdline: outcome.bootArguments,
      bootcmdlineInputs: inputsOf(spec),
    };
  const { tunedProfile = "", bootcmdline, bootcmdlineInputs } = status ?? {};
  return bootcmdlineInputs === undefined ? { tunedProfile } : { tunedProfile, bootcmdline, bootcmdlineInputs };
}

function appliedFinding(outcome: TuneOutcome): Finding {
  if (outcome.type !== "applied") return { status: "False", reason: "Failed", message: whyNot(outcome) };
  const { settings } = outcome.report;
  const failed = settings.filter(({ type }) => type === "failed").length;
  const message =
    failed > 0
      ? `TuneD profile applied, except for ${failed} of ${settings.length} settings.`
      : "TuneD profile applied.";
  return { status: "True", reason: "AsExpected", message };
}

function degradedFinding(outcome: TuneOutcome): Finding {
  if (outcome.type !== "applied") return { status: "True", reason: "TunedError", message: whyNot(outcome) };
  const { settings, restored } = outcome.report;
  const errors = [
    ...settings.flatMap(describeFailure),
    ...restored.flatMap(({ target, failed }) => (failed === undefined ? [] : [`cannot put back ${target}: ${failed}`])),
  ];
  if (errors.length > 0) return { status: "True", reason: "TunedError", message: several(errors) };
  const overrides = settings.flatMap(describeOverride);
  if (overrides.length > 0) return { status: "True", reason: "TunedSysctlOverride", message: several(overrides) };
  const warnings = [...outcome.warnings.map(formatProblem), ...settings.flatMap(describeSkipped)];
  if (warnings.length > 0) return { status: "False", reason: "TunedWarning", message: several(warnings) };
  return { status: "False", reason: "AsExpected", message: "No errors." };
}

function whyNot(outcome: Exclude<TuneOutcome, { type: "applied" }>): string {
  return outcome.type === "failed" ? outcome.message : several(outcome.problems.map(formatProblem));
}

function describeFailure(setting: SettingReport): string[] {
  return setting.type === "failed" ? [`${describePlace(setting)}: ${setting.message}`] : [];
}

function describeSkipped(setting: SettingReport): string[] {
  if (setting.type !== "skipped" || setting.level !== "warning") return [];
  return [`${describePlace(setting)}: ${setting.message}`];
}

/** The node's own sysctl files have the last word; another unit of the profile may have it too, and is meant to. */
function describeOverride(setting: SettingReport): string[] {
  if (setting.type !== "overridden" || !/^\/(etc|run)\/sysctl\./.test(setting.by.from)) return [];
  const { by, value } = setting;
  return [`${describePlace(setting)}: ${by.from} sets ${JSON.stringify(by.value)} instead of ${JSON.stringify(value)}`];
}

function describePlace({ from, option, unit }: SettingReport): string {
  const name = option === "" ? `[${unit}]` : option;
  return from === "" ? name : `${from}: ${name}`;
}

/** A condition holds at most 32,768 characters, and people read the first few. */
function several(messages: readonly string[]): string {
  const shown = messages
    .slice(0, 10)
    .map((message) => (message.length > 1000 ? `${message.slice(0, 1000)}…` : message));
  const more = messages.length - shown.length;
  return `${shown.join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
}
