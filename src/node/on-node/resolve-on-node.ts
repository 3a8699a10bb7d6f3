import type { Host } from "../host/host.ts";
import { type Answer, type Answers, isHarmless, noAnswers, type Probe } from "../../language/tuned/probe.ts";
import type { Problem } from "../../language/tuned/problem.ts";
import {
  preview,
  type Profiles,
  type Resolution,
  resolve,
  type ResolvedProfile,
} from "../../language/tuned/resolve.ts";
import { answerProbes } from "./answer-probes.ts";
import type { ExecRule } from "./exec-policy.ts";

export interface ResolveOnNode {
  profiles: Profiles;
  host: Host;
  /** Answers that are known already. */
  answers?: Answers | undefined;
  /** False: no program with effects is run; what depends on one stays unresolved. Default true. */
  programs?: boolean | undefined;
  /** Which programs may run; what depends on others is left out. Default: all. */
  exec?: ExecRule | undefined;
  signal?: AbortSignal | undefined;
}

export type NodeResolution =
  | {
      type: "resolved";
      profile: ResolvedProfile;
      /** Programs that were not run. */
      unresolved: readonly Probe[];
      answers: Answers;
    }
  | { type: "invalid"; problems: readonly Problem[] };

/** An answer may lead to another question, but no real profile has a chain this long. */
const mostRounds = 100;

/** The settings of a profile on this node: reads the files and runs the programs that the profile asks for. */
export async function resolveOnNode(input: ResolveOnNode): Promise<NodeResolution> {
  const { profiles, host, programs = true, exec, signal } = input;
  const answers = new Map<string, Answer>(input.answers ?? noAnswers);
  for (let round = 0; round < mostRounds; round++) {
    const reached = programs ? resolve(profiles, answers) : previewed(profiles, answers);
    if (reached.type === "invalid") return reached;
    if (reached.type === "resolved") return { unresolved: [], ...reached, answers };
    for (const [key, answer] of await answerProbes(reached.probes, host, { exec, signal })) answers.set(key, answer);
  }
  return { type: "invalid", problems: [{ message: `the profile asks more than ${mostRounds} questions in turn` }] };
}

type Previewed =
  | Exclude<Resolution, { type: "resolved" }>
  | { type: "resolved"; profile: ResolvedProfile; unresolved: readonly Probe[] };

/** Only questions to programs that may change the node stay open. */
function previewed(profiles: Profiles, answers: Answers): Previewed {
  const shown = preview(profiles, answers);
  if (shown.type === "invalid") return shown;
  const harmless = shown.unresolved.filter(isHarmless);
  if (harmless.length > 0) return { type: "needs", probes: harmless };
  return { type: "resolved", profile: shown.profile, unresolved: shown.unresolved };
}
