import type { Command } from "commander";
import { addCommand, hintAfterError, flagName } from "../option/flag.ts";
import { checkFlags, choiceFlags, createFlags, infoFlags } from "./flags.ts";
import type * as Commands from "./run.ts";

/** `attune profile …`. A command's code is loaded when the command runs. */
export function profileCommand(program: Command): void {
  const profile = program.command("profile").description("create and check PerformanceProfiles for existing nodes");

  hintAfterError(profile, "the commands");
  addCommand(profile, {
    name: "create",
    description: "print a PerformanceProfile for the nodes of a pool",
    flags: createFlags,
    run: (options) =>
      run((commands, context) => {
        const flags = Object.entries(choiceFlags).map(([key, flag]) => [
          flagName(flag).slice("--".length),
          options[key as keyof typeof choiceFlags],
        ]);
        return commands.create({ ...options, live: true, flags: Object.fromEntries(flags) }, context);
      }),
  });
  addCommand(profile, {
    name: "info",
    description: "print the pools of a cluster and the CPUs of their nodes",
    flags: infoFlags,
    run: (options) => run((commands, context) => commands.info(options, context)),
  });
  addCommand(profile, {
    name: "check",
    description: "validate PerformanceProfiles in files without a cluster; exit code 1 if one has an error",
    flags: checkFlags,
    run: (options) =>
      run((commands, context) => commands.check(options, { ...context, stdin: commands.readStandardInput })),
  });
}

async function run(
  command: (commands: typeof Commands, context: Parameters<typeof Commands.info>[1]) => Promise<number>,
): Promise<void> {
  const commands = await import("./run.ts");
  // These commands change nothing, so SIGINT may end the process at any point, even while it reads standard input.
  const { signal } = new AbortController();
  process.exitCode = await command(commands, { terminal: commands.processTerminal(), signal });
}
