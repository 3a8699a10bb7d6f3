import { baseScripts } from "../../language/tuned/profiles/base-files.ts";
import { isHarmless, type Probe } from "../../language/tuned/probe.ts";
import type { Notice } from "../../language/tuned/problem.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import { placeOf, type Setting, type Unit } from "../../language/tuned/unit.ts";

/**
 * Which programs that profiles name may run as root: `allow` all of them, `builtin` scripts of built-in profiles, `none`. Programs
 * that only tell about the node run in any case.
 */
export type ExecPolicy = "allow" | "builtin" | "none";
export const execPolicies = ["allow", "builtin", "none"] as const satisfies readonly ExecPolicy[];

/** `by`: the flag that decides, for messages. */
export interface ExecRule {
  readonly policy: ExecPolicy;
  readonly by: string;
}

export function execRule(policy: ExecPolicy): ExecRule {
  return { policy, by: `--exec ${policy}` };
}

export function mayAnswer(probe: Probe, { policy }: ExecRule): boolean {
  // Built-in profiles run no other programs than harmless ones.
  return policy === "allow" || isHarmless(probe) || probe.type !== "exec";
}

/** The profile without the scripts that may not run, with a warning for each of them. */
export function withoutRefusedScripts(profile: ResolvedProfile, rule: ExecRule): ResolvedProfile {
  if (rule.policy === "allow") return profile;
  const builtin = rule.policy === "builtin" ? baseScripts() : new Map<string, string>();
  const refused: Notice[] = [];
  const isAllowed = (path: string, what: string, place: object): boolean => {
    if (builtin.has(path)) return true;
    refused.push({
      ...place,
      level: "error",
      message: `${what} is not run: ${path} is refused (${rule.by})`,
      refused: true,
    });
    return false;
  };
  const narrowed = (unit: Unit): Unit => {
    if (!unit.enabled || unit.unmet !== undefined) return unit;
    const options = new Map<string, Setting>();
    for (const [option, setting] of unit.options) {
      const list = setting.list?.filter((path) => isAllowed(path, `[${unit.name}] ${option}`, placeOf(setting)));
      if (list === undefined || list.length === setting.list?.length) options.set(option, setting);
      else if (list.length > 0) options.set(option, { ...setting, list, value: list.join("\n") });
    }
    const { scriptPre, scriptPost, ...rest } = unit;
    const isKept = (path: string | undefined, name: string): path is string =>
      path !== undefined && isAllowed(path, `[${unit.name}] ${name}`, {});
    return {
      ...rest,
      options,
      ...(isKept(scriptPre, "script_pre") && { scriptPre }),
      ...(isKept(scriptPost, "script_post") && { scriptPost }),
    };
  };
  const units = profile.units.map(narrowed);
  return { ...profile, units, warnings: [...profile.warnings, ...refused] };
}
