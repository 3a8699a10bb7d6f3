import { type Condition, findCondition } from "../../../language/object/condition.ts";
import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";
import type { Setting, Unit } from "../../../language/tuned/unit.ts";
import type { Profile, ProfileSpec, Tuned } from "../api.ts";
import { profilesOf } from "../expected-profile.ts";
import { isCut, messageAbout } from "../status/degraded-message.ts";

/** One option of a node's profile: its value, the line that sets it, and what is known of the node. */
export interface SettingExplanation {
  readonly unit: string;
  readonly option: string;
  readonly wanted: string;
  /** `file:line` */
  readonly from: string;
  /** Values that it overrides, oldest first. */
  readonly overrides: readonly { readonly value: string; readonly from: string }[];
  /**
   * `idle`: its unit is disabled or does not apply to this node. `skipped`: the node has nothing to set it on. `boot`: set by
   * the boot loader. `unresolved`: the value depends on the node. `unknown`: the node has not reported.
   */
  readonly state: "as wanted" | "different" | "failed" | "skipped" | "idle" | "boot" | "unresolved" | "unknown";
  /** The value on the node, where it was read. */
  readonly actual?: string;
  readonly note?: string;
}

/** One setting as read from the node, for one device if it is set per device. */
export type FoundSetting = {
  readonly unit: string;
  /** Empty: the whole unit. */
  readonly option: string;
  readonly device?: string;
} & (
  | {
      readonly type: "as wanted" | "different";
      readonly value: string;
      readonly drifted?: boolean;
      /** `file:line` of the node's own configuration that sets another value. */
      readonly by?: string;
    }
  | { readonly type: "skipped" | "failed"; readonly message: string }
);

export type Evidence =
  /** Read from the node. */
  | { readonly type: "found"; readonly settings: readonly FoundSetting[] }
  /** Reported by the agent in the Profile's status. */
  | {
      readonly type: "reported";
      readonly profile: Profile;
      /** Whether the report is about the profile that the node should have now. */ readonly current: boolean;
    }
  | { readonly type: "none" };

type Verdict = Pick<SettingExplanation, "state" | "actual" | "note">;

/** Every option of every unit, in the order in which the profiles have them. */
export function explainSettings(profile: ResolvedProfile, evidence: Evidence): SettingExplanation[] {
  const byName = new Map(profile.units.map((unit) => [unit.name, unit]));
  const judgeBy = judging(evidence, profile);
  return profile.sections.flatMap((section) => {
    const unit = byName.get(section);
    if (!unit) return [];
    return Array.from(unit.options, ([option, setting]) => {
      const { value: wanted, from, overrides } = setting;
      return { unit: section, option, wanted, from, overrides, ...(aside(unit, setting) ?? judgeBy(unit, option)) };
    });
  });
}

/** Settings whose state does not depend on the node. */
function aside(unit: Unit, { value }: Setting): Verdict | undefined {
  if (!unit.enabled) return { state: "idle", note: "the unit is disabled" };
  if (unit.unmet !== undefined) return { state: "idle", note: `does not apply to this node: ${unit.unmet}` };
  if (unit.type === "bootloader") return { state: "boot" };
  return value.includes("${f:") ? { state: "unresolved" } : undefined;
}

function judging(evidence: Evidence, profile: ResolvedProfile): (unit: Unit, option: string) => Verdict {
  if (evidence.type === "found") return (unit, option) => byFinding(unit, option, evidence.settings);
  if (evidence.type === "reported" && evidence.current) return byReport(evidence.profile, profile);
  return () => ({ state: "unknown" });
}

function byFinding({ name }: Unit, option: string, settings: readonly FoundSetting[]): Verdict {
  const found = settings.filter((one) => one.unit === name && (one.option === option || one.option === ""));
  const different = found.filter((one) => one.type === "different");
  if (different.length > 0) {
    const note = whyDifferent(different);
    return { state: "different", actual: valuesText(different), ...(note === undefined ? {} : { note }) };
  }
  for (const type of ["failed", "as wanted", "skipped"] as const) {
    const some = found.filter((one) => one.type === type);
    if (some.length === 0) continue;
    const messages = new Set(some.flatMap((one) => ("message" in one ? [one.message] : [])));
    return type === "as wanted"
      ? { state: type, actual: valuesText(some) }
      : { state: type, note: [...messages].join("; ") };
  }
  return { state: "unknown" };
}

function whyDifferent(settings: readonly FoundSetting[]): string | undefined {
  for (const one of settings) if ("by" in one && one.by !== undefined) return `set by ${one.by}`;
  const drifted = settings.some((one) => "drifted" in one && one.drifted);
  return drifted ? "changed by another process since it was applied" : undefined;
}

/** `128 (loop0 and 7 more)`: most devices have the same value. */
function valuesText(settings: readonly FoundSetting[]): string {
  const devices = new Map<string, string[]>();
  for (const one of settings) {
    if (!("value" in one)) continue;
    const known = devices.get(one.value) ?? [];
    if (one.device !== undefined) known.push(one.device);
    devices.set(one.value, known);
  }
  return Array.from(devices, ([value, [first, ...more]]) => {
    if (first === undefined) return value;
    return `${value} (${first}${more.length > 0 ? ` and ${more.length} more` : ""})`;
  }).join(", ");
}

/** The agent names every setting that failed, with its place; a setting that it does not name is as wanted. */
function byReport({ status }: Profile, profile: ResolvedProfile): (unit: Unit, option: string) => Verdict {
  const degraded = findCondition(status?.conditions, "Degraded");
  const applied = findCondition(status?.conditions, "Applied")?.status === "True";
  const text = degraded?.message ?? "";
  const messages = new Map<Unit, Map<string, string>>();
  for (const unit of profile.units)
    for (const [option, { from }] of unit.options) {
      const message = messageAbout({ unit: unit.name, option, from }, text);
      if (message === undefined) continue;
      const known = messages.get(unit) ?? new Map<string, string>();
      messages.set(unit, known.set(option, message));
    }
  // If the message is cut, or names no setting, nothing is known of the other settings.
  const isComplete = degraded?.status !== "True" || (messages.size > 0 && !isCut(text));
  return (unit, option) => {
    const note = messages.get(unit)?.get(option);
    if (note !== undefined) return { state: reportedState(degraded), note };
    return { state: applied && isComplete ? "as wanted" : "unknown" };
  };
}

/** The state of a setting that the agent names, by the condition that names it. */
function reportedState(degraded: Condition | undefined): SettingExplanation["state"] {
  if (degraded?.status !== "True") return "skipped";
  return degraded.reason === "TunedSysctlOverride" ? "different" : "failed";
}

/** One of the profiles that are merged into the profile of a node. */
export interface ChainEntry {
  readonly profile: string;
  readonly file: string;
  /** The Tuneds that define it; none if every node has it. */
  readonly tuneds: readonly string[];
  /** Unexpanded, with its line. */
  readonly include?: { readonly text: string; readonly line: number };
}

/** A profile that includes its own name is listed twice: first the one of every node, then the one that hides it. */
export function explainChain(names: readonly string[], spec: ProfileSpec, tuneds: readonly Tuned[]): ChainEntry[] {
  const { layers } = profilesOf(spec);
  const owners = (profile: string): string[] =>
    tuneds
      .filter((tuned) => tuned.spec?.profile?.some(({ name }) => name === profile))
      .map(({ metadata }) => metadata.name ?? "");
  return names.map((profile, at) => {
    const above = names.slice(at + 1).filter((other) => other === profile).length;
    const places = layers.filter((layer) => layer.has(profile));
    const layer = places.at(-1 - above);
    const text = layer?.get(profile);
    const main = text?.sections.find((section) => section.name === "main");
    const include = main?.options.find(({ key }) => key === "include");
    return {
      profile,
      file: text?.file ?? "",
      tuneds: layer === layers.at(-1) ? owners(profile) : [],
      ...(include ? { include: { text: include.value, line: include.line } } : {}),
    };
  });
}
