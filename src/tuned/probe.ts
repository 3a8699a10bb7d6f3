/**
 * A question that only the node can answer. Resolving never asks it itself: a node answers through its Host, a preview
 * shows it as unresolved.
 */
export interface Probe {
  readonly type: "exec";
  readonly argv: readonly string[];
}

/** `none`: the node was asked and has no answer; TuneD then leaves the call as it was written. */
export type Answer = { readonly type: "text"; readonly text: string } | { readonly type: "none" };

export type Answers = ReadonlyMap<string, Answer>;

export const noAnswers: Answers = new Map();

/** Under which an answer is kept. */
export function probeKey(probe: Probe): string {
  return JSON.stringify([probe.type, ...probe.argv]);
}
