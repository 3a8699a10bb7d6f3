import type { Member } from "../candidates.ts";
import { asksForDrain, uncordonRequest } from "../node-annotations.ts";

/** What happens on a node between two configs, in this order. */
export const steps = ["cordon", "drain", "apply", "reboot", "verify", "uncordon"] as const;
export type Step = (typeof steps)[number];

export type StepState = "done" | "now" | "failed" | "later" | "skipped";

/** How far a node is that was told a config. */
export function nodeSteps(member: Member): Readonly<Record<Step, StepState>> {
  const { state, progress } = member;
  const at = stepOf(member);
  const current = progress?.phase === "Failed" || state.isFailing ? "failed" : "now";
  // Changes that need no drain cordon nothing; others restart nothing.
  const isDrained = asksForDrain(state.update) || state.cordonedBy === "operator";
  const isSkipped: Partial<Record<Step, boolean>> = {
    cordon: !isDrained,
    drain: !isDrained,
    reboot: progress?.booted !== true,
  };
  const stateOf = (step: Step): StepState => {
    const [own, reached] = [steps.indexOf(step), at === undefined ? -1 : steps.indexOf(at)];
    if (own === reached) return current;
    if (own > reached) return "later";
    return isSkipped[step] ? "skipped" : "done";
  };
  return {
    cordon: stateOf("cordon"),
    drain: stateOf("drain"),
    apply: stateOf("apply"),
    reboot: stateOf("reboot"),
    verify: stateOf("verify"),
    uncordon: stateOf("uncordon"),
  };
}

/** Undefined: its agent has not begun. */
export function stepOf({ state, progress }: Member): Step | undefined {
  const { update, cordonedBy } = state;
  const { desired, desiredDrain, lastAppliedDrain, isRebooting } = update;
  if (isRebooting) return "reboot";
  if (desired !== "" && desiredDrain === uncordonRequest(desired)) return "uncordon";
  if (progress?.booted) return "verify";
  if (asksForDrain(update) && desiredDrain !== lastAppliedDrain) return cordonedBy ? "drain" : "cordon";
  return update.state === "" || update.state === "Done" ? undefined : "apply";
}
