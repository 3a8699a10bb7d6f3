import { builtIns } from "../functions/catalogue.ts";
import type { ParsedProfile } from "../text/parse-profile.ts";
import { placeOf, sectionOf, typeOf } from "../unit.ts";
import type { SectionFinding } from "./check-sections.ts";

export type Defined = ReadonlySet<string> | undefined;

const variable = /(?<!\\)\$\{([\p{L}\p{N}_]+)\}/gu;
const call = /(?<!\\)\$\{f:([\p{L}\p{N}_]+)(?=[:}])/gu;

/**
 * Variables and functions that are used and do not exist: TuneD leaves them as they are written. `defined`: called if a
 * variable is used; undefined while one may be defined where it cannot be seen.
 */
export function checkReferences(profile: ParsedProfile, defined: () => Defined): SectionFinding[] {
  return profile.sections.flatMap((parsed) => {
    const { name, attributes, options } = sectionOf(parsed, profile.file);
    return [...attributes, ...options].flatMap(([option, setting]) => {
      if (name === "main" && option !== "include") return [];
      const { value } = setting;
      const variables = namesIn(value, variable).filter((used) => defined()?.has(used) === false);
      const functions = namesIn(value, call).filter((used) => !builtIns.has(used));
      const found = (message: string): SectionFinding => ({ ...placeOf(setting), message, possible: false });
      return [
        ...variables.map((used) => found(`[${name}] ${option}: variable \${${used}} is not defined`)),
        ...functions.map((used) => found(`[${name}] ${option}: TuneD has no function ${JSON.stringify(used)}`)),
      ];
    });
  });
}

/** The variables of profiles that are merged; undefined if one of them reads others from a file of the node. */
export function variablesOf(profiles: Iterable<ParsedProfile>): Defined {
  const names = new Set<string>();
  for (const { file, sections } of profiles)
    for (const section of sections.map((parsed) => sectionOf(parsed, file))) {
      if (typeOf(section) !== "variables") continue;
      for (const name of section.options.keys()) names.add(name);
    }
  return names.has("include") ? undefined : names;
}

function namesIn(value: string, pattern: RegExp): string[] {
  return [...new Set(Array.from(value.matchAll(pattern), ([, name = ""]) => name))];
}
