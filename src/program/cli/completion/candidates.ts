import type { Command, Option } from "commander";
import type { FlagOption } from "../option/flag.ts";

/** One way to go on with a line. */
export interface Candidate {
  readonly text: string;
  readonly about: string;
}

export type Candidates =
  | { readonly type: "words"; readonly words: readonly Candidate[] }
  /** Names of objects of the cluster. */
  | { readonly type: "names"; readonly of: "node" | "tuned" | "pod"; readonly flags: ReadonlyMap<string, string> }
  /** Nothing is known of it: it may be a file. */
  | { readonly type: "any" };

interface Line {
  readonly command: Command;
  /** `explain`, `tuned apply`. */
  readonly path: readonly string[];
  readonly operands: readonly string[];
  /** By long name, as far as they have values. */
  readonly flags: ReadonlyMap<string, string>;
  /** The flag whose value is being typed. */
  readonly open: Option | undefined;
}

/** What may stand in the place of the last word. */
export function candidates(program: Command, words: readonly string[]): Candidates {
  const line = read(program, words.slice(0, -1));
  const current = words.at(-1) ?? "";
  if (line.open) {
    const { values }: FlagOption = line.open;
    return values ? starting(current, values.map(plain)) : { type: "any" };
  }
  const { command, operands } = line;
  if (current.startsWith("-")) {
    const options = command.options.filter(({ hidden }) => !hidden);
    return starting(current, [
      ...options.map(({ long, short, description }) => ({ text: long ?? short ?? "", about: description })),
      { text: "--help", about: "print help" },
    ]);
  }
  if (command.commands.length > 0) {
    const commands = command.commands.map((one) => ({ text: one.name(), about: one.description() }));
    return starting(current, operands.length === 0 ? commands : []);
  }
  return operand(line, current);
}

/** Values of operands that are known. */
const operandValues: Readonly<Record<string, readonly string[]>> = {
  explain: ["node", "tuned", "pod"],
  completion: ["bash", "zsh", "fish"],
};

function operand({ path, operands, flags }: Line, current: string): Candidates {
  const command = path.join(" ");
  const values = operandValues[command];
  if (values && operands.length === 0) return starting(current, values.map(plain));
  if (command === "lab read" && operands.length === 0) return { type: "names", of: "node", flags };
  const [kind] = operands;
  if (command === "explain" && operands.length === 1 && (kind === "node" || kind === "tuned" || kind === "pod"))
    return { type: "names", of: kind, flags };
  return { type: "any" };
}

function read(program: Command, words: readonly string[]): Line {
  let command = program;
  let open: Option | undefined;
  const path: string[] = [];
  const operands: string[] = [];
  const flags = new Map<string, string>();
  for (const word of words) {
    if (open) {
      flags.set(open.long ?? "", word);
      open = undefined;
      continue;
    }
    const [name = "", value] = word.split("=", 2);
    const option = word.startsWith("-")
      ? command.options.find(({ long, short }) => [long, short].includes(name))
      : undefined;
    if (option && value !== undefined) flags.set(option.long ?? "", value);
    else if (option?.required) open = option;
    if (word.startsWith("-")) continue;
    const next = operands.length === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (next) path.push(word);
    else operands.push(word);
    command = next ?? command;
  }
  return { command, path, operands, flags, open };
}

const plain = (text: string): Candidate => ({ text, about: "" });

function starting(current: string, all: readonly Candidate[]): Candidates {
  return { type: "words", words: all.filter(({ text }) => text.startsWith(current)) };
}
