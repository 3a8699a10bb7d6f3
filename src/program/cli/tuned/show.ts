import type { Values } from "../option/flag.ts";
import type { showFlags } from "./flags.ts";
import { answerProbes } from "../../../node/on-node/answer-probes.ts";
import { isHarmless } from "../../../language/tuned/probe.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { ProfileLibrary } from "./profile-library.ts";
import { hinted, profileNames, reportProblems } from "./named-profiles.ts";
import { searchPath } from "./search-path.ts";
import type { Terminal } from "../terminal/terminal.ts";

export type ShowOptions = Values<typeof showFlags>;

/** `attune tuned show`: the text of each profile of the chain under the name of its file, included ones first. */
export async function show(words: readonly string[], options: ShowOptions, terminal: Terminal): Promise<number> {
  const names = profileNames(words);
  const { root, dir, exec } = options;
  const host = new OneShotHost(root);
  const library = await ProfileLibrary.open(await searchPath({ root, directories: dir }, host));
  const { links, problems } = await library.chain(names, (probes) =>
    answerProbes(exec ? probes : probes.filter(isHarmless), host),
  );
  const { bold } = terminal.colours;
  const texts = links.flatMap(({ profile }) => {
    const text = library.text(profile);
    return text === undefined ? [] : [`${bold(`# ${profile.file}`)}\n${text.trimEnd()}\n`];
  });
  if (texts.length > 0) terminal.out(texts.join("\n"));
  return reportProblems(problems.map(hinted(names, library)), terminal);
}
