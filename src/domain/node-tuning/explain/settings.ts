import { type Condition, findCondition } from "../../../language/object/condition.ts";
import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";
import type { Setting, Unit } from "../../../language/tuned/unit.ts";
import type { Profile } from "../api.ts";

/** One option of a node's profile: what is wanted, who says so, and what is known of the node. */
export interface SettingExplanation {
  readonly unit: string;
  readonly option: string;
  readonly wanted: string;
  /** `file:line` */
  readonly from: string;
  /** What it took the place of, oldest first. */
  readonly overrides: readonly { readonly value: string; readonly from: string }[];
  /**
   * `idle`: its unit is switched off or not for this node. `skipped`: the node has nothing that it could be set on. `boot`:
   * for the boot loader, see there. `unresolved`: only the node can tell what is wanted. `unknown`: the node has not said.
   */
  readonly state: "as wanted" | "different" | "failed" | "skipped" | "idle" | "boot" | "unresolved" | "unknown";
  /** What the node has, where it was looked at. */
  readonly actual?: string;
  readonly note?: string;
}

/** One setting as it was found on the node, on one device where it is for devices. */
export type FoundSetting = {
  readonly unit: string;
  /** Empty where the whole unit is meant. */
  readonly option: string;
  readonly device?: string;
} & (
  | { readonly type: "as wanted" | "different"; readonly value: string; readonly drifted?: boolean }
  | { readonly type: "skipped" | "failed"; readonly message: string }
);

export type Evidence =
  /** Somebody looked at the node itself. */
  | { readonly type: "found"; readonly settings: readonly FoundSetting[] }
  /** What the node said of the profile. */
  | {
      readonly type: "reported";
      readonly profile: Profile;
      /** Of what it is to have now. */ readonly current: boolean;
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

/** Settings of which nobody can say more, whatever is known of the node. */
function aside(unit: Unit, { value }: Setting): Verdict | undefined {
  if (!unit.enabled) return { state: "idle", note: "the unit is disabled" };
  if (unit.unmet !== undefined) return { state: "idle", note: `not for this node: ${unit.unmet}` };
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
    const drifted = different.some((one) => "drifted" in one && one.drifted);
    const note = drifted ? { note: "changed by somebody else since it was applied" } : {};
    return { state: "different", actual: valuesText(different), ...note };
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

/** `128 (loop0 and 7 more)`: most devices have the same. */
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

/** A node names every setting that failed with its place; what it does not name is as it should be. */
function byReport({ status }: Profile, profile: ResolvedProfile): (unit: Unit, option: string) => Verdict {
  const degraded = findCondition(status?.conditions, "Degraded");
  const applied = findCondition(status?.conditions, "Applied")?.status === "True";
  const said = degraded?.message ?? "";
  const clauses = new Map<string, string>();
  for (const { options } of profile.units)
    for (const [option, { from }] of options) {
      const prefix = `${from}: ${option}: `;
      const start = said.indexOf(prefix);
      if (start >= 0) clauses.set(`${from} ${option}`, said.slice(start + prefix.length).split("; ")[0] ?? "");
    }
  // More failed than it names, or something that is no setting of its own: then nothing is known of the others.
  const isComplete = degraded?.status !== "True" || (clauses.size > 0 && !/; and \d+ more$/.test(said));
  return ({ options }, option) => {
    const note = clauses.get(`${options.get(option)?.from} ${option}`);
    if (note !== undefined) return { state: toldState(degraded), note };
    return { state: applied && isComplete ? "as wanted" : "unknown" };
  };
}

/** What a node means that names a setting, by the condition in which it does. */
function toldState(degraded: Condition | undefined): SettingExplanation["state"] {
  if (degraded?.status !== "True") return "skipped";
  return degraded.reason === "TunedSysctlOverride" ? "different" : "failed";
}
