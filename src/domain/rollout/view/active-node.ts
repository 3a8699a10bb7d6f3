import type { Member } from "../candidates.ts";
import { type BlockedPod, readDrain } from "../drain/drain-record.ts";
import { formatTime, parseTime } from "../../../language/object/time.ts";
import { deadlines } from "../node-progress.ts";
import { nodeSteps, type Step, stepOf, type StepState } from "./node-steps.ts";

/** A node on its way to a config. */
export interface ActiveNode {
  readonly node: string;
  /** What it does, in one word or two. */
  readonly doing: string;
  /** RFC 3339, where the cluster remembers it. */
  readonly since?: string | undefined;
  /** RFC 3339: when it has failed, if nothing happens until then. */
  readonly failsAt?: string | undefined;
  readonly steps: Readonly<Record<Step, StepState>>;
  /** Pods that its drain waits for. */
  readonly blocked: readonly BlockedPod[];
  /** Further ones. */
  readonly more: number;
}

const words: Readonly<Record<Step, string>> = {
  cordon: "cordoning",
  drain: "draining",
  apply: "applying",
  reboot: "rebooting",
  verify: "verifying",
  uncordon: "uncordoning",
};

export function activeNode(member: Member, now: string): ActiveNode {
  const { state, progress } = member;
  const step = stepOf(member);
  const drain = step === "drain" ? readDrain(state.node) : undefined;
  // What is noted only now was not seen to begin.
  const since = drain?.since ?? (progress?.since === now ? undefined : progress?.since);
  const limit = progress === undefined || progress.phase === "Failed" ? undefined : deadlines[progress.phase];
  const began = parseTime(since ?? "");
  return {
    node: state.name,
    doing: step === undefined ? "told, its agent has not begun" : words[step],
    ...(since === undefined ? {} : { since }),
    ...(limit === undefined || began === undefined ? {} : { failsAt: formatTime(began + limit) }),
    steps: nodeSteps(member),
    blocked: drain?.blocked ?? [],
    more: drain?.more ?? 0,
  };
}
