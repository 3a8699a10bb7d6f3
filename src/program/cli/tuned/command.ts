import type { Command } from "commander";
import { addCommand, hintAfterError } from "../option/flag.ts";
import type { Terminal } from "../terminal/terminal.ts";
import {
  activeFlags,
  applyFlags,
  listFlags,
  recommendFlags,
  resolveFlags,
  rollbackFlags,
  showFlags,
  verifyFlags,
} from "./flags.ts";
import type * as Commands from "./run.ts";

const operands = { "<profile...>": "names of profiles; later ones override earlier ones" };

/** `attune tuned …`. A command's code is loaded when the command runs. */
export function tunedCommand(program: Command): void {
  const tuned = program
    .command("tuned")
    .summary("list, inspect, apply and roll back TuneD profiles")
    .description("list, inspect, apply, verify and roll back TuneD profiles on this host");

  hintAfterError(tuned, "the commands");
  addCommand(tuned, {
    name: "list",
    description: "list the available profiles",
    flags: listFlags,
    run: (options) => run((commands, terminal) => commands.list(options, terminal)),
  });
  addCommand(tuned, {
    name: "recommend",
    description: "print the profile that the rules of TuneD's recommend.conf name for this host",
    flags: recommendFlags,
    run: (options) => run((commands, terminal) => commands.recommend(options, terminal)),
  });
  addCommand(tuned, {
    name: "active",
    description: "print the profile in force on this host, and what applied it; exit code 1 if there is none",
    flags: activeFlags,
    run: (options) => run((commands, terminal) => commands.active(options, terminal)),
  });
  addCommand(tuned, {
    name: "show",
    description: "print the text of a profile and of the profiles that it includes",
    operands,
    flags: showFlags,
    run: (options, names) => run((commands, terminal) => commands.show(names, options, terminal)),
  });
  addCommand(tuned, {
    name: "resolve",
    description: "print the settings of a profile on this host, and the file and line that each comes from",
    operands,
    flags: resolveFlags,
    run: (options, names) => run((commands, terminal) => commands.resolve(names, options, terminal)),
  });
  addCommand(tuned, {
    name: "apply",
    description: "apply a profile; exit code 1 if a setting failed",
    operands,
    flags: applyFlags,
    run: (options, names) => run((commands, terminal) => commands.apply(names, options, terminal)),
  });
  addCommand(tuned, {
    name: "verify",
    description: "compare the host with a profile, without changes; exit code 1 if they differ",
    operands,
    flags: verifyFlags,
    run: (options, names) => run((commands, terminal) => commands.verify(names, options, terminal)),
  });
  addCommand(tuned, {
    name: "rollback",
    description: "restore the values from before the first profile was applied; exit code 1 if one failed",
    flags: rollbackFlags,
    run: (options) => run((commands, terminal) => commands.rollback(options, terminal)),
  });
}

async function run(command: (commands: typeof Commands, terminal: Terminal) => Promise<number>): Promise<void> {
  const commands = await import("./run.ts");
  process.exitCode = await command(commands, commands.processTerminal());
}
