import { findCondition } from "../object/condition.ts";
import type { ResolvedProfile } from "../tuned/resolve.ts";
import type { Setting, Unit } from "../tuned/unit.ts";
import type { Profile } from "./api.ts";

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
   * `idle`: its unit is switched off or not for this node. `boot`: for the boot loader, see there. `unresolved`: only the
   * node can tell what is wanted. `unknown`: the node has not said.
   */
  readonly state: "as wanted" | "different" | "failed" | "idle" | "boot" | "unresolved" | "unknown";
  /** What the node has, where it was looked at. */
  readonly actual?: string;
  readonly note?: string;
}

/** Where a node was looked at and is not as its profile says. */
export interface FoundDifference {
  readonly unit: string;
  readonly option: string;
  readonly device?: string;
  readonly message: string;
  readonly found?: string;
  readonly drifted?: boolean;
}

export type Evidence =
  /** Somebody looked at the node itself. */
  | { readonly type: "found"; readonly differences: readonly FoundDifference[] }
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
  if (evidence.type === "found") return (unit, option) => byFinding(unit, option, evidence.differences);
  if (evidence.type === "reported" && evidence.current) return byReport(evidence.profile, profile);
  return () => ({ state: "unknown" });
}

function byFinding({ name, options }: Unit, option: string, differences: readonly FoundDifference[]): Verdict {
  const found = differences.filter((one) => one.unit === name && (one.option === option || one.option === ""));
  if (found.length === 0) return { state: "as wanted", actual: options.get(option)?.value ?? "" };
  const values = found.flatMap(({ device, found: value }) =>
    value === undefined ? [] : [device === undefined ? value : `${device}: ${value}`],
  );
  if (values.length === 0) return { state: "failed", note: found.map(({ message }) => message).join("; ") };
  const drifted = found.some((one) => one.drifted);
  return {
    state: "different",
    actual: values.join(", "),
    ...(drifted ? { note: "changed by somebody else since it was applied" } : {}),
  };
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
    if (note !== undefined) return { state: degraded?.status === "True" ? "failed" : "as wanted", note };
    return { state: applied && isComplete ? "as wanted" : "unknown" };
  };
}
