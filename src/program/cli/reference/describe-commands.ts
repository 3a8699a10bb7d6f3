import type { Command } from "commander";
import { type Example, examplesOf } from "../examples.ts";

/** A command as its help has it. */
export interface CommandDescription {
  /** `attune tuned apply` */
  readonly name: string;
  readonly about: string;
  /** What follows the name: `[options] <profile...>`. */
  readonly usage: string;
  readonly operands: readonly Row[];
  readonly flags: readonly Row[];
  readonly examples: readonly Example[];
}

export interface Row {
  readonly term: string;
  readonly about: string;
}

/** Every command that runs something, in the order of the help. */
export function describeCommands(program: Command): CommandDescription[] {
  return leavesOf(program, []).map(({ command, path }) => ({
    name: ["attune", ...path].join(" "),
    about: command.description(),
    usage: command.usage(),
    operands: command.registeredArguments.map((argument) => ({
      term: argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
      about: argument.description,
    })),
    flags: command.options
      .filter(({ hidden }) => !hidden)
      .map(({ flags, description }) => ({ term: flags, about: description })),
    examples: examplesOf(path.join(" ")),
  }));
}

interface Leaf {
  readonly command: Command;
  readonly path: readonly string[];
}

/** A command with others below it that has flags of its own runs, too: `attune lab`. */
function leavesOf(command: Command, path: readonly string[]): Leaf[] {
  const below = command.commands.flatMap((one) => leavesOf(one, [...path, one.name()]));
  const runs = path.length > 0 && (below.length === 0 || command.options.length > 0);
  return runs ? [{ command, path }, ...below] : below;
}
