import { withoutQuotes } from "../../../../language/tuned/boot-arguments.ts";
import type { Action } from "../../../engine/action.ts";
import type { Host } from "../../../host/host.ts";

/** What a boot loader must be told. */
export interface BootPlanInput {
  readonly wanted: readonly string[];
  /** What an earlier config has added, or may have: a crash may have come before or after. */
  readonly claimed: readonly string[];
  /** What the node had before the first config, of all these. */
  readonly base: readonly string[];
  /** What was done for the last config, or was about to be done before a crash. */
  readonly earlier: readonly Action[];
  readonly host: Pick<Host, "read" | "readBytes" | "list" | "run" | "stat" | "real">;
}

export interface BootPlan {
  /** The next boot has the arguments already. */
  readonly same: boolean;
  readonly actions: readonly Action[];
  readonly undo: readonly Action[];
}

/** The node's own way to set boot arguments. */
export interface BootTool {
  readonly name: string;
  plan(input: BootPlanInput): Promise<BootPlan | { readonly impossible: string }>;
}

/** A new deployment or menu takes longer than other programs. */
export const timeoutMs = 300_000;

export function run(...argv: string[]): Action {
  return { type: "run", argv, timeoutMs };
}

/** The first list without as many of each word as the second has, its last ones. Words are the same if the kernel reads them the same. */
export function minus(words: readonly string[], less: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const word of less.map(withoutQuotes)) left.set(word, (left.get(word) ?? 0) + 1);
  const isLeft = (word: string): boolean => {
    const count = left.get(withoutQuotes(word)) ?? 0;
    left.set(withoutQuotes(word), count - 1);
    return count <= 0;
  };
  return words.toReversed().filter(isLeft).toReversed();
}

/** Words that both lists have, as often as both have them. */
export function common(a: readonly string[], b: readonly string[]): string[] {
  return minus(a, minus(a, b));
}

/** All words of both, as often as the list has it that has it more often. */
export function union(a: readonly string[], b: readonly string[]): string[] {
  return [...a, ...minus(b, a)];
}

/** Whether two lists have the same words equally often. */
export function areSame(a: readonly string[], b: readonly string[]): boolean {
  return minus(a, b).length === 0 && minus(b, a).length === 0;
}
