import type { Values } from "../option/flag.ts";
import type { resolveFlags } from "./flags.ts";
import { documentOf } from "../../../language/tuned/text/document.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { serialised } from "../terminal/serialise.ts";
import { profileNames, reportProblems, reportWarnings, resolveNamed } from "./named-profiles.ts";
import { resolutionText } from "./resolution-text.ts";
import { searchPath } from "./search-path.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type ResolveOptions = Values<typeof resolveFlags>;

/** `attune tuned resolve`: the settings of a profile on this host, and where each comes from. */
export async function resolve(words: readonly string[], options: ResolveOptions, terminal: Terminal): Promise<number> {
  const names = profileNames(words);
  const { root, dir, exec, output } = options;
  const host = new OneShotHost(root);
  const places = await searchPath({ root, directories: dir }, host);
  const named = await resolveNamed({ names, places, host, programs: exec });
  if (named.type === "invalid") return reportProblems(named.problems, terminal);
  reportWarnings(named.profile.warnings, terminal);
  const document = documentOf(named.profile, named.unresolved);
  terminal.out(
    output === "table"
      ? resolutionText(document, terminal.colours, terminal.columns)
      : await serialised(document, output),
  );
  return 0;
}
