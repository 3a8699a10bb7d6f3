import type { PerftuneStep } from "../../../domain/scylla/perftune/plan.ts";
import { printable, shellWord } from "../terminal/terminal.ts";

/** What a step does, as commands for a shell; notes are comments. */
export function shellLines(step: PerftuneStep): string[] {
  switch (step.type) {
    case "note":
      return [`# ${printable(step.text)}`];
    case "write":
      return [`echo ${words(step.value)} > ${shellWord(step.path)}`];
    case "set-channels":
      return [command(["ethtool", "-L", step.nic, step.kinds[0] ?? "combined", String(step.count)])];
    case "set-ntuple":
      return [command(["ethtool", "-K", step.nic, "ntuple", step.on ? "on" : "off"])];
    case "ban-irqs":
      return [
        ...(step.hasBackup ? [] : [command(["cp", step.path, step.backup])]),
        command(["sed", "-i", `/^[[:space:]]*${step.key}=/d`, step.path]),
        `echo ${shellWord(step.line)} | tee -a ${shellWord(step.path)}`,
      ];
    case "run":
      return [command(step.argv)];
  }
}

/** `write back` needs no quotes. */
function words(value: string): string {
  return /^[\w ]+$/.test(value) ? value : shellWord(value);
}

function command(argv: readonly string[]): string {
  return argv.map(shellWord).join(" ");
}
