import { expect, it, test } from "vitest";
import { attuneProgram } from "../program.ts";
import { candidates } from "./candidates.ts";

const program = attuneProgram();

function completed(...words: string[]): unknown {
  const found = candidates(program, words);
  if (found.type === "words") return found.words.map(({ text }) => text);
  return found.type === "names" ? [`names of ${found.of}`, Object.fromEntries(found.flags)] : "any";
}

test.each<[string[], unknown]>([
  [["ex"], ["explain"]],
  [
    ["tuned", "re"],
    ["recommend", "resolve"],
  ],
  [["lab", ""], ["read"]],
  [
    ["explain", ""],
    ["node", "tuned", "pod"],
  ],
  [
    ["explain", "node", ""],
    ["names of node", {}],
  ],
  [
    ["explain", "--context", "a", "pod", "-n", "b", ""],
    ["names of pod", { "--context": "a", "--namespace": "b" }],
  ],
  [
    ["explain", "--kubeconfig=k", "tuned", "q"],
    ["names of tuned", { "--kubeconfig": "k" }],
  ],
  [["explain", "node", "n", ""], "any"],
  [["explain", "job", ""], "any"],
  [
    ["lab", "read", ""],
    ["names of node", {}],
  ],
  [["completion", "z"], ["zsh"]],
  [
    ["plan", "-o", ""],
    ["table", "wide", "json", "yaml"],
  ],
  [["plan", "--output", "j"], ["json"]],
  [["plan", "-f", ""], "any"],
  [["plan", "--re"], ["--recursive"]],
  [["plan", "--he"], ["--help"]],
  [
    ["tuned", "apply", "--engine", ""],
    ["auto", "native", "tuned"],
  ],
  // A switch takes no value: what follows is an operand.
  [["explain", "--exec", "no"], ["node"]],
  [["nonsense", ""], []],
  [["render", "--log"], []],
])("%j goes on with %j", (words, expected) => {
  expect(completed(...words)).toEqual(expected);
});

it("offers every command and every flag of each that its help shows", () => {
  const offered = completed("") as string[];
  expect(offered).toEqual(program.commands.map((command) => command.name()));
  for (const command of program.commands.filter((one) => one.commands.length === 0))
    for (const { long, hidden } of command.options)
      if (!hidden) expect(completed(command.name(), "--")).toContain(long);
});
