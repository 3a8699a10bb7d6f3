import type { Command } from "commander";
import type * as Commands from "./run.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** `attune tuned …`: options only. What a command does is loaded when it is called. */
export function tunedCommand(program: Command): void {
  const tuned = program
    .command("tuned")
    .description("TuneD profiles on this host: what there are, what they come to, and putting them into force");

  searching(tuned.command("list"))
    .description("list the profiles that can be asked for")
    .option("-o, --output <format>", "table, wide (with those that others hide), json, yaml or name", "table")
    .action((options) => run((commands, terminal) => commands.list(options, terminal)));

  searching(tuned.command("show"))
    .argument("<profile...>", "names; of several the later wins")
    .description("print a profile and everything it includes, each under the name of its file")
    .option("--no-exec", "run no program to learn what is included")
    .action((names, options) => run((commands, terminal) => commands.show(names, options, terminal)));

  searching(tuned.command("resolve"))
    .argument("<profile...>", "names; of several the later wins")
    .description("print what a profile comes to, and which line of which file says so")
    .option("--no-exec", "run no program; what depends on one is shown as unresolved")
    .option("-o, --output <format>", "table, json or yaml", "table")
    .action((names, options) => run((commands, terminal) => commands.resolve(names, options, terminal)));

  searching(tuned.command("apply"))
    .argument("<profile...>", "names; of several the later wins")
    .description("put a profile into force; exit code 1 if a setting failed")
    .option("--engine <engine>", "native, tuned (the TuneD daemon), or auto: whichever suits the profile", "auto")
    .option("-o, --output <format>", "table, json or yaml", "table")
    .action((names, options) => run((commands, terminal) => commands.apply(names, options, terminal)));

  searching(tuned.command("verify"))
    .argument("<profile...>", "names; of several the later wins")
    .description("compare the node with a profile and change nothing; exit code 1 if they differ")
    .option("-o, --output <format>", "table, json or yaml", "table")
    .action((names, options) => run((commands, terminal) => commands.verify(names, options, terminal)));

  tuned
    .command("rollback")
    .description("put everything back as it was before the first profile")
    .option("--root <dir>", "where the node's own file system is mounted", "/")
    .option("-o, --output <format>", "table, json or yaml", "table")
    .action((options) => run((commands, terminal) => commands.rollback(options, terminal)));
}

function searching(command: Command): Command {
  return command
    .option("--root <dir>", "where the node's own file system is mounted", "/")
    .option("--dir <dir>", "a further folder of profiles, stronger than those before it; may be repeated", collect);
}

function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

async function run(command: (commands: typeof Commands, terminal: Terminal) => Promise<number>): Promise<void> {
  const commands = await import("./run.ts");
  process.exitCode = await command(commands, commands.processTerminal());
}
