import type { Problem } from "../problem.ts";
import type { ParsedProfile } from "../text/parse-profile.ts";
import { isTrue, type Section, sectionOf, type Setting, placeOf } from "../unit.ts";
import { knownSysctls, numericSysctls, sysctlTrees } from "./known-sysctls.ts";
import { checkPatterns } from "./check-patterns.ts";
import { nearMiss } from "./near-miss.ts";
import { pluginOptions } from "./plugin-options.ts";

/** Something in a profile that has no effect, or hardly the one that was meant. */
export interface SectionFinding extends Problem {
  /** False: no plug-in of TuneD reads it. True: it may be right on a node that is unknown here. */
  readonly possible: boolean;
}

/**
 * Sections and options that no plug-in knows, names that look misspelt, and patterns that nodes refuse. `typed`: sections whose type another profile
 * sets, which this one may be merged with.
 */
export function checkSections(profile: ParsedProfile, typed: ReadonlySet<string>): SectionFinding[] {
  return profile.sections.flatMap((parsed) => {
    const section = sectionOf(parsed, profile.file);
    if (section.name === "main") return mainFindings(section);
    if (isOff(section)) return [];
    const type = section.attributes.get("type");
    if (!type && typed.has(section.name)) return [];
    const plugin = type?.value ?? section.name;
    if (plugin === "variables" || plugin.includes("${")) return [];
    return pluginFindings(section, plugin, { file: profile.file, line: type ? placeOf(type).line : parsed.line });
  });
}

/** Names of sections that have a type of their own. */
export function typedSections(profile: ParsedProfile): string[] {
  return profile.sections.filter(({ options }) => options.some(({ key }) => key === "type")).map(({ name }) => name);
}

const mainOptions = ["include", "summary", "description"];

/** TuneD reads `include` there and keeps every other option. */
function mainFindings({ options, attributes }: Section): SectionFinding[] {
  return [...options, ...attributes].flatMap(([option, setting]) => {
    const meant = mainOptions.includes(option) ? undefined : nearMiss(option, mainOptions);
    return meant === undefined ? [] : [found(setting, `[main] ${option} has no effect; ${didYouMean(meant)}`, true)];
  });
}

/** No profile has as many; a hostile one must not occupy the operator. */
const mostChecked = 2000;

function pluginFindings(section: Section, plugin: string, place: Omit<Problem, "message">): SectionFinding[] {
  const known = pluginOptions.get(plugin);
  if (!known) {
    const meant = nearMiss(plugin, pluginOptions.keys());
    const message = `[${section.name}] has no effect: TuneD has no plug-in ${JSON.stringify(plugin)}${advice(meant)}`;
    return [{ ...place, message, possible: false }];
  }
  const patterns = checkPatterns(section, plugin).map((problem): SectionFinding => ({ ...problem, possible: true }));
  const options = [...section.options].slice(0, mostChecked).flatMap(([option, setting]): SectionFinding[] => {
    if (plugin === "sysctl") return sysctlFindings(option, setting);
    if (known.names.includes(option) || known.starts.some((start) => option.startsWith(start))) return [];
    const meant = nearMiss(option, known.names);
    const message = `[${section.name}] ${option} has no effect: it is not an option of [${plugin}]${advice(meant)}`;
    return [found(setting, message, false)];
  });
  return [...patterns, ...options];
}

function sysctlFindings(option: string, setting: Setting): SectionFinding[] {
  if (option.includes("${")) return [];
  if (knownSysctls.has(option)) return valueFindings(option, setting);
  // sysctl(8) takes slashes as separators if one comes first; TuneD 2.28 never does.
  const slashed = /^[^./]*\//.test(option);
  const name = slashed ? option.replaceAll(/[./]/g, (one) => (one === "/" ? "." : "/")) : option;
  const tree = name.split(".")[0] ?? "";
  const isTree = sysctlTrees.includes(tree);
  const meant = slashed && isTree ? name : nearMiss(name, knownSysctls);
  if (meant !== undefined) return [found(setting, `sysctl ${option} is not known; ${didYouMean(meant)}`, true)];
  if (isTree) return [];
  const letters = tree.replaceAll(/[^a-z\d]/g, "");
  const near = sysctlTrees.includes(letters) ? letters : nearMiss(tree, sysctlTrees);
  return [found(setting, `sysctl ${option} is not known: kernels have no /proc/sys/${tree}${advice(near)}`, true)];
}

/** Numbers with what TuneD removes or reads itself: quotes, and `<` or `>` for a bound. */
const numbers = /^["'<>\s]*[-+]?(0x[\da-f]+|\d+)([\s,]+[-+]?(0x[\da-f]+|\d+))*["'\s]*$/i;

function valueFindings(option: string, setting: Setting): SectionFinding[] {
  const { value } = setting;
  if (!numericSysctls.has(option) || value.trim() === "" || value.includes("${") || numbers.test(value)) return [];
  return [found(setting, `sysctl ${option} takes a number, not ${JSON.stringify(value.slice(0, 80))}`, false)];
}

/** TuneD leaves the section out. */
function isOff({ attributes }: Section): boolean {
  const enabled = attributes.get("enabled")?.value;
  return enabled !== undefined && !enabled.includes("${") && !isTrue(enabled);
}

function found(setting: Setting, message: string, possible: boolean): SectionFinding {
  return { ...placeOf(setting), message, possible };
}

function advice(meant: string | undefined): string {
  return meant === undefined ? "" : `; ${didYouMean(meant)}`;
}

function didYouMean(meant: string): string {
  return `did you mean ${JSON.stringify(meant)}?`;
}
