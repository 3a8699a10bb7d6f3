import { asksForDrain, type NodeUpdate } from "../../../domain/rollout/node-annotations.ts";

export interface UpdateText {
  readonly text: string;
  /** Whether the node has what it should have. */
  readonly isSettled: boolean;
}

/** The rendered config of a node, what it waits for, and why it failed. Empty where no pool configures it. */
export function updateText(update: NodeUpdate | undefined): UpdateText[] {
  if (!update) return [];
  const { current, desired, state, reason, desiredDrain, lastAppliedDrain, isRebooting } = update;
  if (current === "" && desired === "") return [];
  const isSettled = current === desired && state === "Done";
  const change = current === desired ? current : `${current || "none"}, changes to ${desired || "none"}`;
  const waits: UpdateText[] = [];
  if (isRebooting) waits.push({ text: "restarts", isSettled });
  else if (desiredDrain !== lastAppliedDrain)
    waits.push({
      text: `waits for the operator: ${asksForDrain(update) ? "drain" : "uncordon"}`,
      isSettled,
    });
  else if (!isSettled && state === "") waits.push({ text: "waits for the agent to report", isSettled });
  return [
    { text: isSettled || state === "" ? change : `${change} (${state})`, isSettled },
    ...waits,
    ...(reason === "" ? [] : [{ text: reason, isSettled: false }]),
  ];
}
