import { patternProblem } from "../pattern/python-pattern.ts";
import type { Problem } from "../problem.ts";
import { placeOf, type Section, type Setting } from "../unit.ts";

/** Regular expressions that the native engine refuses. A node loses the option with them, or the whole section. */
export function checkPatterns({ name, attributes, options }: Section, plugin: string): Problem[] {
  const settings = [...attributes, ...(plugin === "scheduler" ? options : [])];
  return settings.flatMap(([option, setting]) =>
    patternsOf(option, setting).flatMap((source) => {
      const problem = patternProblem(source);
      return problem === undefined ? [] : [{ ...placeOf(setting), message: `[${name}] ${option}: ${problem}` }];
    }),
  );
}

const patterns = ["devices_udev_regex", "cpuinfo_regex", "uname_regex"];
const lists = ["ps_whitelist", "ps_blacklist", "cgroup_ps_blacklist"];

function patternsOf(option: string, { value }: Setting): string[] {
  if (value.includes("${")) return [];
  if (patterns.includes(option)) return [value];
  if (lists.includes(option)) return value.split(/(?<!\\);/).filter((source) => source !== "");
  const rule = option.startsWith("group.") ? value.split(":").slice(4) : [];
  return rule.length > 0 ? [rule.join(":")] : [];
}
