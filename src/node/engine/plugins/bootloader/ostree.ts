import { splitArguments } from "../../../../language/tuned/boot-arguments.ts";
import type { Action } from "../../action.ts";
import type { Observe } from "../../plugin.ts";
import { type BootState, undoBootState, writeBootState } from "./state.ts";

/** On image-based systems, bootc or rpm-ostree keep the kernel arguments. */

/** These write a new deployment, which takes longer than other programs. */
const timeoutMs = 120_000;

const bootcCommand = ["bootc", "loader-entries", "set-options-for-source"];

export async function hasBootc({ host }: Observe): Promise<boolean> {
  const help = await host.run([...bootcCommand, "--help"]);
  return help.type === "exited" && help.code === 0;
}

/** bootc keeps arguments by source, and removes the earlier ones of a source itself. */
export function planBootc(args: string, state: BootState): { actions: Action[]; undo: Action[] } {
  const set = (options: readonly string[]): Action => ({
    type: "run",
    argv: [...bootcCommand, "--source", "tuned", ...options],
    timeoutMs,
  });
  const note = writeBootState(args);
  return {
    actions: [set(args === "" ? [] : ["--options", args]), note],
    undo: [set([]), ...undoBootState(state, note)],
  };
}

/** `idle` or another state of rpm-ostree; `undefined` on other systems. */
export async function ostreeState({ host }: Pick<Observe, "host">): Promise<string | undefined> {
  const status = await host.run(["rpm-ostree", "status"]);
  if (status.type !== "exited" || status.code !== 0) return undefined;
  const [label, state] = status.stdout.trim().split(/\s+/);
  return label === "State:" ? state : undefined;
}

export async function ostreeArguments({ host }: Pick<Observe, "host">): Promise<string[] | undefined> {
  const answer = await host.run(["rpm-ostree", "kargs"]);
  return answer.type === "exited" && answer.code === 0 ? wordsOf(answer.stdout) : undefined;
}

/** Removes earlier additions, and adds only arguments that are not present: undo removes exactly those. */
export function planOstree(
  args: readonly string[],
  present: readonly string[],
  state: BootState,
): { actions: Action[]; undo: Action[]; added: string[]; same: boolean } {
  const earlier = wordsOf(state.arguments);
  const others = without(present, earlier);
  const added = args.filter((word) => !others.includes(word));
  const change = (words: readonly string[]): Action => ({
    type: "run",
    argv: ["rpm-ostree", "kargs", ...words],
    timeoutMs,
  });
  const removal = (words: readonly string[]): string[] => words.map((word) => `--delete-if-present=${word}`);
  const note = writeBootState(added.join(" "));
  return {
    added,
    same: earlier.join(" ") === added.join(" "),
    actions: [change([...removal(earlier), ...added.map((word) => `--append=${word}`)]), note],
    undo: [...(added.length > 0 ? [change(removal(added))] : []), ...undoBootState(state, note)],
  };
}

function without(words: readonly string[], removed: readonly string[]): string[] {
  const rest = [...words];
  for (const word of removed) {
    const index = rest.indexOf(word);
    if (index >= 0) rest.splice(index, 1);
  }
  return rest;
}

export const wordsOf = splitArguments;
