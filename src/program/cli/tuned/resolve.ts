import { documentOf } from "../../../language/tuned/text/document.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { outputOption } from "../option/output-option.ts";
import { serialised } from "../terminal/serialise.ts";
import { profileNames } from "./profile-names.ts";
import { reportProblems, reportWarnings } from "./report-problems.ts";
import { resolutionText } from "./resolution-text.ts";
import { resolveNamed } from "./resolve-named.ts";
import { searchPath } from "./search-path.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface ResolveOptions {
  readonly root: string;
  readonly dir?: readonly string[];
  /** False: no program is run, and what depends on one is shown as unresolved. */
  readonly exec: boolean;
  readonly output: string;
}

/** `attune tuned resolve`: what a profile comes to here, and who said so. */
export async function resolve(words: readonly string[], options: ResolveOptions, terminal: Terminal): Promise<number> {
  const names = profileNames(words);
  const format = outputOption(options.output, ["table", "json", "yaml"] as const);
  const host = new OneShotHost(options.root);
  const places = await searchPath({ root: options.root, directories: options.dir }, host);
  const named = await resolveNamed({ names, places, host, programs: options.exec });
  if (named.type === "invalid") return reportProblems(named.problems, terminal);
  reportWarnings(named.profile.warnings, terminal);
  const document = documentOf(named.profile, named.unresolved);
  terminal.out(format === "table" ? resolutionText(document, terminal.colours) : await serialised(document, format));
  return 0;
}
