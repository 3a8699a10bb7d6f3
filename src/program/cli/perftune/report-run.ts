import type { PerftuneAction } from "../../../domain/scylla/perftune/action.ts";
import type { PerftuneResult, PerftuneRun } from "../../../node/perftune/run-perftune.ts";
import { printable, type Terminal } from "../terminal/terminal.ts";

/**
 * Prints what a run did, and returns its exit code: a setting that the host refuses is a warning, since the rest is in force. A run
 * fails if irqbalance could not be told which IRQs to leave alone: it would undo the run.
 */
export function reportRun({ results }: PerftuneRun, isVerbose: boolean, { out, err }: Terminal): number {
  for (const result of results) {
    if (result.type === "failed")
      err(`warning: ${printable(`${whatOf(result.action)}: ${result.message ?? "failed"}`)}\n`);
    else if (result.type === "note") out(`${printable(result.text)}\n`);
    else if (result.type === "set" || isVerbose)
      out(`  ${printable(whatOf(result.action))}${remark[result.type](result)}\n`);
  }
  const count = (type: PerftuneResult["type"]): number => results.filter((result) => result.type === type).length;
  out(
    `${count("set")} ${count("set") === 1 ? "setting" : "settings"} changed, ${count("same")} were so already${kept(count("refused"))}${failed(count("failed"))}\n`,
  );
  return results.some((result) => result.type === "failed" && isNeeded(result.action)) ? 1 : 0;
}

const remark = {
  set: () => "",
  same: () => " (as it was)",
  refused: ({ message = "refused" }: { readonly message?: string }) => ` (refused: ${printable(message)})`,
};

function kept(count: number): string {
  return count === 0 ? "" : `, ${count} kept by the kernel where they are`;
}

function failed(count: number): string {
  return count === 0 ? "" : `, ${count} failed`;
}

function isNeeded({ type }: PerftuneAction): boolean {
  return type === "ban-irqs" || type === "run";
}

/** An action in one line. */
function whatOf(action: PerftuneAction): string {
  switch (action.type) {
    case "write":
      return `${action.path} = ${action.value}`;
    case "set-channels":
      return `${action.nic}: ${action.count} ${action.kinds.join(" or ")} channels`;
    case "set-ntuple":
      return `${action.nic}: ntuple filters ${action.on ? "on" : "off"}`;
    case "ban-irqs":
      return `${action.path}: ${action.irqs.length} IRQs banned`;
    case "run":
      return action.argv.length > 0 ? action.argv.join(" ") : "restart irqbalance";
  }
}
