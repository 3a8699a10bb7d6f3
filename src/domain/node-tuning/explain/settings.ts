import { isTrue } from "../../../language/object/condition.ts";
import { newBudget } from "../../../language/tuned/budget.ts";
import { expand } from "../../../language/tuned/expand.ts";
import { type Answers, noAnswers } from "../../../language/tuned/probe.ts";
import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";
import type { Setting, Unit } from "../../../language/tuned/unit.ts";
import type { Profile, ProfileSpec, ReportedSetting, SettingException, Tuned } from "../api.ts";
import { profilesOf } from "../expected-profile.ts";

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
  /** Since when it is not as wanted, or when another process changed it, as its agent reports. */
  readonly since?: string;
}

/** One setting as read from the node or reported by its agent, for one device if it is set per device. */
export type FoundSetting = {
  readonly unit: string;
  /** Empty: the whole unit. */
  readonly option: string;
  readonly device?: string;
} & (
  | { readonly type: "as wanted"; readonly value: string }
  | { readonly type: "different"; readonly value: string; readonly message?: string | undefined }
  | { readonly type: "skipped" | "failed"; readonly message: string }
);

export type Evidence =
  /** Read from the node. */
  | { readonly type: "found"; readonly settings: readonly FoundSetting[] }
  /** Reported by the agent in the Profile's status. */
  | {
      readonly type: "reported";
      readonly profile: Profile;
      /** Whether the report is about the profile that the node should have now. */
      readonly current: boolean;
    }
  | { readonly type: "none" };

type Verdict = Pick<SettingExplanation, "state" | "actual" | "note" | "since">;

/** Every option of every unit, in the order in which the profiles have them. */
export function explainSettings(
  profile: ResolvedProfile,
  evidence: Evidence,
  answers: Answers = noAnswers,
): SettingExplanation[] {
  const context = { variables: profile.variables, answers, budget: newBudget() };
  const byName = new Map(profile.units.map((unit) => [unit.name, unit]));
  const found = foundIn(evidence);
  return profile.sections.flatMap((section) => {
    const unit = byName.get(section);
    if (!unit) return [];
    return Array.from(unit.options, ([option, setting]) => {
      const { value: wanted, from } = setting;
      const overrides = setting.overrides.map((old) => ({ ...old, value: expand(old.value, context).text }));
      const verdict = aside(unit) ?? withException(unit, option, found) ?? unseen(setting, found);
      return { unit: section, option, wanted, from, overrides, ...verdict };
    });
  });
}

/** Settings whose state does not depend on the node. */
function aside(unit: Unit): Verdict | undefined {
  if (!unit.enabled) return { state: "idle", note: "the unit is disabled" };
  if (unit.unmet !== undefined) return { state: "idle", note: `does not apply to this node: ${unit.unmet}` };
  return unit.type === "bootloader" ? { state: "boot" } : undefined;
}

/** What is known of a setting that no finding is about. */
function unseen({ value }: Setting, { rest }: Findings): Verdict {
  return rest ?? { state: value.includes("${f:") ? "unresolved" : "unknown" };
}

interface Findings {
  /** By unit and option. */
  readonly settings: ReadonlyMap<string, readonly FoundSetting[]>;
  /** By unit and option. */
  readonly exceptions?: ReadonlyMap<string, SettingException>;
  /** What follows for all other settings. */
  readonly rest?: Verdict | undefined;
}

function foundIn(evidence: Evidence): Findings {
  if (evidence.type === "found") return { settings: grouped(evidence.settings) };
  if (evidence.type === "none" || !evidence.current) return { settings: new Map() };
  const { settings, settingsOmitted = 0, exceptions = [], conditions } = evidence.profile.status ?? {};
  // Until the change is applied, the report is about the profile before it.
  if (!settings || !isTrue(conditions, "Applied")) return { settings: new Map() };
  const rest: Verdict =
    settingsOmitted > 0
      ? { state: "unknown", note: "not listed: the agent's report is limited" }
      : { state: "skipped", note: "the agent reports no value for it" };
  // Of several devices, the first.
  const byOption = new Map(exceptions.toReversed().map((one) => [keyOf(one.unit, one.option), one]));
  return { settings: grouped(settings.map(foundOf)), exceptions: byOption, rest };
}

function foundOf({ unit, option, state, value = "", message = "", device }: ReportedSetting): FoundSetting {
  const about = { unit, option, ...(device === undefined ? {} : { device }) };
  if (state === "AsWanted") return { ...about, type: "as wanted", value };
  if (state === "Different") return { ...about, type: "different", value, message };
  return { ...about, type: state === "Failed" ? "failed" : "skipped", message };
}

function grouped(settings: readonly FoundSetting[]): Map<string, FoundSetting[]> {
  const groups = new Map<string, FoundSetting[]>();
  for (const one of settings) {
    const key = keyOf(one.unit, one.option);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(one);
  }
  return groups;
}

function keyOf(unit: string, option: string): string {
  return JSON.stringify([unit, option]);
}

function withException(unit: Unit, option: string, found: Findings): Verdict | undefined {
  const verdict = byFinding(unit, option, found);
  const exception = found.exceptions?.get(keyOf(unit.name, option));
  if (!verdict || !exception) return verdict;
  const { state, found: value = "", since } = exception;
  if (state !== "Repaired") return { ...verdict, since };
  return { ...verdict, note: `another process changed it to ${JSON.stringify(value)}; it was set back`, since };
}

function byFinding({ name }: Unit, option: string, { settings }: Findings): Verdict | undefined {
  // A finding without an option is about the whole unit.
  const found = [option, ""].flatMap((of) => settings.get(keyOf(name, of)) ?? []);
  for (const type of ["different", "failed", "as wanted", "skipped"] as const) {
    const some = found.filter((one) => one.type === type);
    if (some.length === 0) continue;
    const messages = [...new Set(some.flatMap((one) => ("message" in one && one.message ? [one.message] : [])))];
    return {
      state: type,
      ...(type === "different" || type === "as wanted" ? { actual: valuesText(some) } : {}),
      ...(messages.length > 0 ? { note: messages.join("; ") } : {}),
    };
  }
  return undefined;
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

/** One of the profiles that are merged into the profile of a node. */
export interface ChainEntry {
  readonly profile: string;
  readonly file: string;
  /** The Tuneds that define it; none if every node has it. */
  readonly tuneds: readonly string[];
  /** Unexpanded, with its line, and the profiles of the chain that it names on this node. */
  readonly include?: { readonly text: string; readonly line: number; readonly names: readonly string[] };
}

/** A profile that includes its own name is listed twice: first the one of every node, then the one that hides it. */
export function explainChain(
  { chain: names, includes }: Pick<ResolvedProfile, "chain" | "includes">,
  spec: ProfileSpec,
  tuneds: readonly Tuned[],
): ChainEntry[] {
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
      file: text?.file ?? "on the node",
      tuneds: layer === layers.at(-1) ? owners(profile) : [],
      ...(include ? { include: { text: include.value, line: include.line, names: includes[at] ?? [] } } : {}),
    };
  });
}
