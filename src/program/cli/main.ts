import { CommanderError } from "commander";
import { errorText } from "../../cluster/runtime/error-text.ts";
import { completeCommand } from "./completion/complete-command.ts";
import { attuneProgram } from "./program.ts";
import { nextStep } from "./terminal/next-step.ts";
import { errorLines, writeErr } from "./terminal/terminal.ts";

/** The message of an error. A command that may not choose a cluster by itself names those of an `attune up` on this machine. */
async function adviceOn(error: unknown): Promise<string> {
  // Bundles have classes of their own, so `instanceof` does not know this one.
  if (!(error instanceof Error) || error.name !== "NoClusterError") return `${errorText(error)}${nextStep(error)}`;
  const { clustersToName } = await import("./up/running-cluster.ts");
  return (await clustersToName(process.env)) ?? error.message;
}

async function main(): Promise<void> {
  // Timers of a Clock and idle connections do not keep the process alive, and a command that waits has nothing else.
  const alive = setInterval(() => {}, 2 ** 30);
  try {
    const program = attuneProgram();
    const [, , command, ...words] = process.argv;
    // Before commander: a line that is being typed is not a valid one yet.
    if (command === completeCommand) await (await import("./completion/complete.ts")).complete(program, words);
    else await program.parseAsync();
  } catch (error) {
    process.exitCode = 1;
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) process.exitCode = 0;
    } else writeErr(errorLines(`error: ${await adviceOn(error)}\n`));
  } finally {
    clearInterval(alive);
  }
}

void main();
