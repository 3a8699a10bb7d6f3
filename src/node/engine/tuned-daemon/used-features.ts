import type { ParsedProfile } from "../../../language/tuned/text/parse-profile.ts";
import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";

/** What a profile needs of the TuneD that is to apply it. */
export interface UsedFeatures {
  readonly functions: ReadonlySet<string>;
  readonly plugins: ReadonlySet<string>;
  /** `plug-in.option` */
  readonly options: ReadonlySet<string>;
  /** Variables put before inherited ones, which came with TuneD 2.28. */
  readonly prepend: boolean;
}

/**
 * Units that this node does not apply need nothing. Functions are looked for in the texts the profile was merged from,
 * where they are known: many stand in variables.
 */
export function usedFeatures(profile: ResolvedProfile, texts: readonly ParsedProfile[] = []): UsedFeatures {
  const functions = new Set<string>();
  const plugins = new Set<string>();
  const options = new Set<string>();
  let prepend = false;
  for (const { type, enabled, unmet, options: settings } of profile.units) {
    if (!enabled || unmet !== undefined) continue;
    plugins.add(type);
    for (const [option, { raw = "" }] of settings) {
      options.add(`${type}.${option}`);
      addCalls(raw, functions);
    }
  }
  for (const { sections } of texts)
    for (const { options: written } of sections)
      for (const { key, value } of written) {
        addCalls(value, functions);
        if (key === "prepend") prepend = true;
      }
  return { functions, plugins, options, prepend };
}

function addCalls(text: string, functions: Set<string>): void {
  for (const [, name = ""] of text.matchAll(/(?<!\\)\$\{f:(\w+)/g)) functions.add(name);
}
