import { answerProbes } from "../../../node/on-node/answer-probes.ts";
import { OneShotHost } from "./one-shot-host.ts";
import { ProfileLibrary } from "./profile-library.ts";
import { profileNames } from "./profile-names.ts";
import { reportProblems } from "./report-problems.ts";
import { searchPath } from "./search-path.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface ShowOptions {
  readonly root: string;
  readonly dir?: readonly string[];
  /** False: includes that depend on what a program prints are not followed. */
  readonly exec: boolean;
}

/** `attune tuned show`: every text that takes part, ancestors first, each under the name of its file. */
export async function show(words: readonly string[], options: ShowOptions, terminal: Terminal): Promise<number> {
  const names = profileNames(words);
  const host = new OneShotHost(options.root);
  const library = await ProfileLibrary.open(await searchPath({ root: options.root, directories: options.dir }, host));
  const { links, problems } = await library.chain(names, (probes) =>
    answerProbes(options.exec ? probes : probes.filter(({ type }) => type !== "exec"), host),
  );
  const { bold } = terminal.colours;
  const texts = links.flatMap(({ profile }) => {
    const text = library.text(profile);
    return text === undefined ? [] : [`${bold(`# ${profile.file}`)}\n${text.trimEnd()}\n`];
  });
  if (texts.length > 0) terminal.out(texts.join("\n"));
  return reportProblems(problems, terminal);
}
