import type { Notice } from "../../language/tuned/problem.ts";
import type { ResolvedProfile } from "../../language/tuned/resolve.ts";
import { placeOf, type Setting, type Unit } from "../../language/tuned/unit.ts";
import type { ExecRule } from "./exec-policy.ts";

export interface ForTuned {
  readonly profile: ResolvedProfile;
  /** What the profile lacks now. */
  readonly refused: readonly Notice[];
}

/**
 * The profile without any `${`, unless all programs may run. No escaping keeps TuneD from expanding one: several of its
 * plug-ins (bootloader, scheduler, systemd) expand a value that was expanded before, and `${f:exec:…}` runs a program.
 */
export function withoutReferences(profile: ResolvedProfile, { policy, by }: ExecRule): ForTuned {
  if (policy === "allow") return { profile, refused: [] };
  const refused: Notice[] = [];
  const refuse = (what: string, place: object = {}): void => {
    const message = `${what} is not set: TuneD could run programs for its \${…}, which is refused (${by})`;
    refused.push({ ...place, level: "error", message, refused: true });
  };
  // TuneD gets the boot arguments of all options in one.
  const bootRefers = profile.bootArguments.some(refers);
  const narrowed = (unit: Unit): Unit[] => {
    if (!unit.enabled || unit.unmet !== undefined) return [unit];
    const { name, type, devices, devicesUdevRegex = "", scriptPre = "", scriptPost = "" } = unit;
    if ([name, type, devices, devicesUdevRegex, scriptPre, scriptPost].some(refers)) {
      refuse(`[${name}]`);
      return [];
    }
    const options = new Map<string, Setting>();
    for (const [option, setting] of unit.options) {
      const isArgument = type === "bootloader" && option.startsWith("cmdline");
      const isRefused = isArgument ? bootRefers : refers(option) || refers(setting.value);
      if (isRefused) refuse(`[${name}] ${option}`, placeOf(setting));
      else options.set(option, setting);
    }
    return [{ ...unit, options }];
  };
  const units = profile.units.flatMap(narrowed);
  const bootArguments = bootRefers ? [] : profile.bootArguments;
  // Only scripts see variables. Built-in profiles have some with an escaped `${`, which no script uses.
  const variables = new Map([...profile.variables].filter(([, value]) => !refers(value)));
  return { profile: { ...profile, units, bootArguments, variables }, refused };
}

function refers(text: string): boolean {
  return text.includes("${");
}
