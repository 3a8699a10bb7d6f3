import type { Values } from "../option/flag.ts";
import type { applyFlags } from "./flags.ts";
import type { ApplyReport } from "../../../node/engine/engine.ts";
import { applyOptions, searchPath } from "./search-path.ts";
import { saveApplied } from "./applied-record.ts";
import { type Applied, applyText } from "./apply-text.ts";
import { placeBaseScripts } from "../../../node/on-node/place-base-scripts.ts";
import { openEngine } from "./open-engine.ts";
import { lockEngine } from "../../../node/on-node/lock-engine.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { serialised } from "../terminal/serialise.ts";
import { profileNames, reportProblems, reportWarnings, resolveNamed } from "./named-profiles.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type ApplyOptions = Values<typeof applyFlags>;

/** `attune tuned apply`. Returns the exit code. */
export async function apply(words: readonly string[], options: ApplyOptions, terminal: Terminal): Promise<number> {
  const names = profileNames(words);
  const { root, dir, engine: option, output } = options;
  const host = new OneShotHost(root);
  const places = await searchPath({ root, directories: dir }, host);
  const unlock = await lockEngine(root);
  try {
    const [named, given] = await Promise.all([resolveNamed({ names, places, host }), applyOptions(host, places)]);
    if (named.type === "invalid") return reportProblems(named.problems, terminal);
    const { links, postLoaded } = named;
    const profile = await placeBaseScripts(named.profile, host);
    reportWarnings(profile.warnings, terminal);
    const texts = links.map((link) => link.profile);
    const { engine, reason, close } = await openEngine({ option, root, host, profile, texts });
    try {
      const report = await engine.apply(profile, host, given);
      await saveApplied(host, { profile: names.join(" "), postLoaded });
      const applied: Applied = { profile: profile.profile, engine: engine.name, reason, ...report };
      terminal.out(
        output === "table" ? applyText(applied, terminal.colours, terminal.columns) : await serialised(applied, output),
      );
      warnAboutTemporary(host, terminal);
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

function warnAboutTemporary({ temporary }: OneShotHost, { err }: Terminal): void {
  for (const name of temporary)
    err(`warning: ${name} lasts only while a process holds it, and this command exits now\n`);
}
