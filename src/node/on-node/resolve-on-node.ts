import type { Host } from "../host/host.ts";
import { type Answer, type Answers, noAnswers, type Probe } from "../../language/tuned/probe.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import { preview, type Profiles, resolve, type ResolvedProfile } from "../../language/tuned/resolve.ts";
import { answerProbes } from "./answer-probes.ts";

export interface ResolveOnNode {
  profiles: Profiles;
  host: Host;
  /** What is known already. */
  answers?: Answers;
  /** False: programs have effects, so none is run, and what depends on one stays as it is written. Default true. */
  programs?: boolean;
  signal?: AbortSignal;
}

export type NodeResolution =
  | { type: "resolved"; profile: ResolvedProfile; /** Programs that were not run. */ unresolved: readonly Probe[] }
  | { type: "invalid"; problems: readonly Problem[] };

/** Each answer may raise the next question, but no profile asks this many in turn. */
const mostRounds = 100;

/** What a profile comes to on this node, which is asked what only it can tell. */
export async function resolveOnNode(input: ResolveOnNode): Promise<NodeResolution> {
  const { profiles, host, programs = true, signal } = input;
  const answers = new Map<string, Answer>(input.answers ?? noAnswers);
  for (let round = 0; round < mostRounds; round++) {
    const reached = programs ? resolve(profiles, answers) : previewed(profiles, answers);
    if (reached.type === "invalid") return reached;
    if (reached.type === "resolved") return { unresolved: [], ...reached };
    for (const [key, answer] of await answerProbes(reached.probes, host, signal)) answers.set(key, answer);
  }
  return { type: "invalid", problems: [{ message: `the profile asks more than ${mostRounds} questions in turn` }] };
}

/** Looking at files does no harm: only questions to programs are left open. */
function previewed(profiles: Profiles, answers: Answers): NodeResolution | { type: "needs"; probes: Probe[] } {
  const shown = preview(profiles, answers);
  if (shown.type === "invalid") return shown;
  const harmless = shown.unresolved.filter(({ type }) => type !== "exec");
  if (harmless.length > 0) return { type: "needs", probes: harmless };
  return { type: "resolved", profile: shown.profile, unresolved: shown.unresolved };
}
