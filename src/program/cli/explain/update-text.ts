import { asksForDrain, type NodeUpdate } from "../../../domain/rollout/node-annotations.ts";

export interface UpdateText {
  readonly text: string;
  /** Whether the node has what it should have. */
  readonly isSettled: boolean;
}

/** The rendered config of a node, what it waits for, and why it failed. Empty where no pool configures it. */
export function updateText(update: NodeUpdate | undefined): UpdateText[] {
  if (!update) return [];
  const { current, desired, state, reason } = update;
  if (current === "" && desired === "") return [];
  const isSettled = current === desired && state === "Done";
  const isFailed = state === "Degraded" || state === "Unreconcilable";
  const becomes = `${isFailed ? "should change" : "changes"} to ${desired || "none"}`;
  const change = current === desired ? current : `${current || "none"}, ${becomes}`;
  const phase = isFailed ? "" : phaseOf(update);
  return [
    { text: isFailed ? `${change} (${state})` : change, isSettled },
    ...(phase === "" ? [] : [{ text: phase, isSettled }]),
    ...(reason === "" ? [] : [{ text: reason, isSettled: false }]),
  ];
}

/** What happens to the node now. Empty: nothing. */
function phaseOf(update: NodeUpdate): string {
  const { current, desired, state, desiredDrain, lastAppliedDrain, isRebooting } = update;
  if (isRebooting) return "restarts now";
  if (desiredDrain !== lastAppliedDrain)
    return `waits until the operator has ${asksForDrain(update) ? "drained" : "uncordoned"} it`;
  if (current === desired && state === "Done") return "";
  return state === "Working" ? "its agent applies it" : "waits for its agent to begin";
}
