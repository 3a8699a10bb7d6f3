import type { Host } from "../../../node/host/host.ts";
import { didYouMean } from "../../../domain/node-tuning/explain/near-names.ts";
import { isSafeName } from "../../../language/tuned/chain/include.ts";
import { answerProbes } from "../../../node/on-node/answer-probes.ts";
import { type ExecRule, withoutRefusedScripts } from "../../../node/on-node/exec-policy.ts";
import { resolveOnNode } from "../../../node/on-node/resolve-on-node.ts";
import type { ChainLink } from "../../../language/tuned/chain/load-chain.ts";
import { isHarmless, type Probe } from "../../../language/tuned/probe.ts";
import { formatProblem, type Notice, type Problem } from "../../../language/tuned/problem.ts";
import { baseVariableFiles } from "../../../language/tuned/profiles/base-files.ts";
import type { ResolvedProfile } from "../../../language/tuned/resolve.ts";
import { printable, type Terminal } from "../terminal/terminal.ts";
import { ProfileLibrary } from "./profile-library.ts";
import type { Place } from "./search-path.ts";
import { postLoaded, postLoadedFile } from "./tuned-preset.ts";

/** Names of profiles from the command line. As in TuneD, one argument may hold several names. */
export function profileNames(words: readonly string[]): string[] {
  const names = words.flatMap((word) => word.split(/\s+/)).filter((name) => name !== "");
  if (names.length === 0) throw new Error("no profile named");
  for (const name of names)
    if (!isSafeName(name) || name === "." || name === "..")
      throw new Error(
        `${JSON.stringify(name.slice(0, 80))} is not a profile name: use letters, digits, "_", "-" and "."`,
      );
  return names;
}

export interface ResolveNamed {
  readonly names: readonly string[];
  readonly places: readonly Place[];
  readonly host: Host;
  /** False: no program with effects is run; what depends on one stays unresolved. Default true. */
  readonly programs?: boolean;
  /** Which programs may run; what depends on others is left out. Default: all. */
  readonly exec?: ExecRule;
}

export type Named =
  | {
      type: "resolved";
      profile: ResolvedProfile;
      unresolved: readonly Probe[];
      /** The profiles it was merged from. */
      links: readonly ChainLink[];
      postLoaded: string | undefined;
    }
  | { type: "invalid"; problems: readonly Problem[] };

/** Resolves profiles by name on a node, and after them its post-loaded profile. Reads only the files of their include chain. */
export async function resolveNamed(input: ResolveNamed): Promise<Named> {
  const { names: given, places, host, programs = true, exec } = input;
  const post = await postLoaded(host);
  if (post !== undefined && !isSafeName(post)) return { type: "invalid", problems: [notOneName(post)] };
  const names = post === undefined ? given : [...given, post];
  const library = await ProfileLibrary.open(places);
  const { links, answers } = await library.chain(names, (probes) =>
    answerProbes(programs ? probes : probes.filter(isHarmless), host, { exec }),
  );
  const profiles = { profile: names.join(" "), layers: library.layers, files: baseVariableFiles() };
  const resolution = await resolveOnNode({ profiles, host, answers, programs, exec });
  if (resolution.type === "invalid")
    return { ...resolution, problems: resolution.problems.map(hinted(names, library)) };
  const profile = exec ? withoutRefusedScripts(resolution.profile, exec) : resolution.profile;
  return { ...resolution, profile, links, postLoaded: post };
}

/** A name on the command line that no profile has is one that was misspelt. */
export function hinted(names: readonly string[], { layers }: ProfileLibrary): (problem: Problem) => Problem {
  return (problem) => {
    const name = names.find((one) => problem.message === `profile ${JSON.stringify(one)} does not exist`);
    if (name === undefined) return problem;
    const near = didYouMean(
      name,
      layers.flatMap((layer) => [...layer.keys()]),
    );
    return { ...problem, message: `${problem.message}${near === "" ? "; attune tuned list names all" : near}` };
  };
}

function notOneName(text: string): Problem {
  return { file: postLoadedFile, message: `${JSON.stringify(text.slice(0, 80))} is not the name of one profile` };
}

/** Prints a line for each problem. Returns the exit code. */
export function reportProblems(problems: readonly Problem[], { err }: Terminal): number {
  err(problems.map((problem) => `error: ${printable(formatProblem(problem))}\n`).join(""));
  return problems.length > 0 ? 1 : 0;
}

export function reportWarnings(warnings: readonly Notice[], { err }: Terminal): void {
  err(warnings.map((warning) => `warning: ${printable(formatProblem(warning))}\n`).join(""));
}
