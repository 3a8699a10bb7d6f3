import type { ApplyReport } from "../../../node/engine/engine.ts";
import { applyOptions } from "./apply-options.ts";
import { type Applied, applyText } from "./apply-text.ts";
import { placeBaseScripts } from "../../../node/on-node/place-base-scripts.ts";
import { engineOption, openEngine } from "./engine-option.ts";
import { lockEngine } from "../../../node/on-node/lock-engine.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { outputOption } from "../option/output-option.ts";
import { serialised } from "../terminal/serialise.ts";
import { profileNames } from "./profile-names.ts";
import { reportProblems, reportWarnings } from "./report-problems.ts";
import { resolveNamed } from "./resolve-named.ts";
import { searchPath } from "./search-path.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface ApplyCommandOptions {
  readonly root: string;
  readonly dir?: readonly string[];
  readonly engine: string;
  readonly output: string;
}

/** `attune tuned apply` */
export async function apply(
  words: readonly string[],
  options: ApplyCommandOptions,
  terminal: Terminal,
): Promise<number> {
  const names = profileNames(words);
  const { root, dir } = options;
  const option = engineOption(options.engine);
  const format = outputOption(options.output, ["table", "json", "yaml"] as const);
  const host = new OneShotHost(root);
  const places = await searchPath({ root, directories: dir }, host);
  const unlock = await lockEngine(root);
  try {
    const [named, given] = await Promise.all([
      resolveNamed({ names, places, host, programs: true }),
      applyOptions(host, places),
    ]);
    if (named.type === "invalid") return reportProblems(named.problems, terminal);
    const { profile, links } = named;
    reportWarnings(profile.warnings, terminal);
    const texts = links.map((link) => link.profile);
    const { engine, reason, close } = await openEngine({ option, root, host, profile, texts });
    try {
      await placeBaseScripts(profile, host);
      const report = await engine.apply(profile, host, given);
      const applied: Applied = { profile: profile.profile, engine: engine.name, reason, ...report };
      terminal.out(format === "table" ? applyText(applied, terminal.colours) : await serialised(applied, format));
      warnOfPassing(host, terminal);
      return hasFailed(report) ? 1 : 0;
    } finally {
      close();
    }
  } finally {
    await unlock();
  }
}

function hasFailed({ settings, restored }: ApplyReport): boolean {
  return settings.some(({ type }) => type === "failed") || restored.some(({ failed }) => failed !== undefined);
}

function warnOfPassing({ passing }: OneShotHost, { err }: Terminal): void {
  for (const name of passing)
    err(`warning: ${name} is in force only while somebody holds it, and this command ends now\n`);
}
