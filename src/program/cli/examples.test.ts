import type { Command } from "commander";
import { describe, expect, it, test } from "vitest";
import { attuneProgram } from "./program.ts";
import { describeCommands } from "./reference/describe-commands.ts";
import { manPages } from "./reference/man.ts";

const commands = describeCommands(attuneProgram());

test.each(commands.map(({ name, examples }) => [name, examples] as const))("%s has examples", (_, examples) => {
  expect(examples.length).toBeGreaterThan(0);
});

test.each(commands.flatMap(({ name, examples }) => examples.map(({ line }) => [name, line] as const)))(
  "the command %s reads %j",
  (name, line) => {
    const parsed: string[] = [];
    const program = attuneProgram();
    const readers = (command: Command, path: readonly string[]): void => {
      // What is read is checked, and nothing runs.
      command.exitOverride().action(() => void parsed.push(path.join(" ")));
      for (const below of command.commands) readers(below, [...path, below.name()]);
    };
    for (const command of program.commands) readers(command, ["attune", command.name()]);
    const [, own = ""] = /(attune .*?)(?: \||\)|$)/.exec(line) ?? [];
    program.parse(own.split(" ").slice(1), { from: "user" });
    expect(parsed).toEqual([name]);
    expect(line.length).toBeLessThan(120);
  },
);

describe("man pages", () => {
  const pages = manPages(attuneProgram());

  it("are one for each command, and one that lists them", () => {
    expect([...pages.keys()]).toEqual(["attune.1", ...commands.map(({ name }) => `${name.replaceAll(" ", "-")}.1`)]);
    const listed = [...(pages.get("attune.1") ?? "").matchAll(/^\.B (.*)\(1\)$/gm)].map(([, name = ""]) => name);
    expect(listed).toEqual(commands.map(({ name }) => name.replaceAll(/[ -]/g, "\\-")));
  });

  it("have names, flags and examples, and no line that would be a request by accident", () => {
    const page = pages.get("attune-plan.1") ?? "";
    expect(page).toContain(".B \\-f, \\-\\-filename <file...>");
    expect(page).toContain("attune plan \\-f tuned.yaml");
    const requests = new Set([...pages.values()].flatMap((text) => text.match(/^\.\S*/gm) ?? []));
    expect([...requests].toSorted()).toEqual([".B", ".BR", ".EE", ".EX", ".PP", ".RE", ".RS", ".SH", ".TH", ".TP"]);
  });
});
