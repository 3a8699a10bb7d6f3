import type { Values } from "../option/flag.ts";
import { type Answer, noAnswers } from "../../../language/tuned/probe.ts";
import {
  recommend as recommendFrom,
  type Recommendation,
  recommendFile,
  type RecommendFiles,
  type RecommendFolder,
} from "../../../language/tuned/recommend.ts";
import { parseGlobalConfig } from "../../../language/tuned/text/global-config.ts";
import { mainConfig } from "../../../node/engine/tuned-daemon/config-files.ts";
import type { Host } from "../../../node/host/host.ts";
import { answerProbes } from "../../../node/on-node/answer-probes.ts";
import { serialised } from "../terminal/serialise.ts";
import { printable, type Terminal } from "../terminal/terminal.ts";
import type { recommendFlags } from "./flags.ts";
import { reportProblems, reportWarnings } from "./named-profiles.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { checkDirectory } from "./search-path.ts";

export type RecommendOptions = Values<typeof recommendFlags>;

/** `attune tuned recommend`: the profile that TuneD's rules name for this host. */
export async function recommend({ root, output }: RecommendOptions, terminal: Terminal): Promise<number> {
  const host = new OneShotHost(root);
  await checkDirectory("--root", root, { host, directory: "/" });
  const found = await recommendation(host);
  if (found.type === "invalid") return reportProblems(found.problems, terminal);
  const { profile, from, warnings } = found;
  reportWarnings(warnings, terminal);
  if (output === "name") terminal.out(`${printable(profile)}\n`);
  else terminal.out(await serialised({ profile, ...(from !== undefined && { from }) }, output));
  return 0;
}

/** A process that has ended since it was listed leaves its question without an answer, so a few rounds are enough. */
const mostRounds = 100;

async function recommendation(host: Host): Promise<Exclude<Recommendation, { type: "needs" }>> {
  const files = await recommendFiles(host);
  const answers = new Map<string, Answer>(noAnswers);
  const root = process.geteuid?.() === 0;
  for (let round = 0; round < mostRounds; round++) {
    const found = recommendFrom(files, { answers, root });
    if (found.type !== "needs") return found;
    for (const [key, answer] of await answerProbes(found.probes, host)) answers.set(key, answer);
  }
  return { type: "invalid", problems: [{ message: `recommend.conf asks more than ${mostRounds} questions in turn` }] };
}

/** The TuneD engine writes it so that `tuned-adm recommend` names the profile that it applies. */
const ownFile = "00-attune.conf";

async function recommendFiles(host: Host): Promise<RecommendFiles> {
  if (!(await isEnabled(host))) return { folders: [] };
  const file = await host.read(recommendFile);
  const folders: RecommendFolder[] = [];
  for (const path of ["/usr/lib/tuned/recommend.d", "/etc/tuned/recommend.d"]) {
    const files = new Map<string, string>();
    for (const name of await host.list(path)) {
      const one = await host.read(`${path}/${name}`);
      if (one.type === "text" && name !== ownFile) files.set(name, one.text);
    }
    folders.push({ path, files });
  }
  return { file: file.type === "text" ? file.text : undefined, folders };
}

/** TuneD names its default profile where the option is off. */
async function isEnabled(host: Host): Promise<boolean> {
  const file = await host.read(mainConfig);
  return file.type !== "text" || parseGlobalConfig(file.text, mainConfig).options.get("recommend_command") !== false;
}
