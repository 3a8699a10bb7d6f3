import { deriveMasks } from "../../../domain/scylla/perftune/masks/derive-masks.ts";
import { canonicalMask } from "../../../domain/scylla/perftune/masks/mask-text.ts";
import { dumpedOptions } from "../../../domain/scylla/perftune/option/dumped-options.ts";
import { checkIrqMask } from "../../../domain/scylla/perftune/option/effective-options.ts";
import type { PerftuneOptions } from "../../../domain/scylla/perftune/option/perftune-options.ts";
import type { PerftuneRefusal } from "../../../domain/scylla/perftune/plan.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { writeYaml } from "../../../language/object/write-yaml.ts";
import type { Host } from "../../../node/host/host.ts";
import { type Machine, readMachine } from "../../../node/perftune/facts/read-machine.ts";
import { previewPerftune, runPerftune } from "../../../node/perftune/run-perftune.ts";
import { undoPerftune } from "../../../node/perftune/undo-perftune.ts";
import { flagName } from "../option/flag.ts";
import { printableLines, type Terminal } from "../terminal/terminal.ts";
import { OneShotHost } from "../tuned/one-shot-host.ts";
import { restoredText } from "../tuned/restored-text.ts";
import { checkDirectory } from "../tuned/search-path.ts";
import { perftuneFlags } from "./flags.ts";
import { type PerftuneFlags, readOptions } from "./read-options.ts";
import { reportRun } from "./report-run.ts";
import { shellLines } from "./shell-lines.ts";

/** `attune perftune`. Returns the exit code. `below` is what is below `--root`, where this is not a folder here. */
export async function perftune(flags: PerftuneFlags, terminal: Terminal, below?: Host): Promise<number> {
  const host = below ?? (await hostAt(flags.root));
  if (flags.undo) return undo(flags, host, terminal);

  const effective = await readOptions(flags, terminal);
  if (effective.type === "refused") return refused(effective, terminal);
  const { options } = effective;
  const machine = await readMachine(host);
  const problem = checkIrqMask(options, machine.topology);
  if (problem) return refused(problem, terminal);
  if (flags.dumpOptionsFile) return dump(options, machine, terminal);
  const queries = [flags.getCpuMask, flags.getCpuMaskQuiet, flags.getIrqCpuMask].filter(Boolean);
  if (queries.length > 1)
    throw new Error("--get-cpu-mask, --get-cpu-mask-quiet and --get-irq-cpu-mask exclude each other");
  if (queries.length > 0) return printMask({ flags, options, machine }, terminal);
  if (flags.dryRun) return preview(host, options, terminal);
  const run = await asRoot(() => runPerftune(host, options));
  return run.type === "refused" ? refused(run, terminal) : reportRun(run, flags.verbose, terminal);
}

async function hostAt(root: string): Promise<Host> {
  const host = new OneShotHost(root);
  await checkDirectory("--root", root, { host, directory: "/" });
  return host;
}

/** A dry run of it would change nothing and say nothing, and other options say what to tune. */
async function undo(flags: PerftuneFlags, host: Host, terminal: Terminal): Promise<number> {
  const { undo: _undo, root: _root, ...others } = flags;
  const given = Object.entries(others).flatMap(([key, value]) =>
    value === undefined || value === false ? [] : [flagName(perftuneFlags[key as keyof typeof others])],
  );
  if (given.length > 0) throw new Error(`--undo restores everything: it cannot be combined with ${given.join(", ")}`);
  const restored = await asRoot(() => undoPerftune(host));
  terminal.out(`${restoredText(restored, terminal.colours, terminal.columns)}\n`);
  return restored.some(({ failed }) => failed !== undefined) ? 1 : 0;
}

async function asRoot<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["EACCES", "EPERM", "EROFS"].includes(code)) throw error;
    throw new Error(`only root may tune this host: ${errorText(error)}`, { cause: error });
  }
}

function dump(options: PerftuneOptions, { topology }: Machine, terminal: Terminal): number {
  const dumped = dumpedOptions(options, topology);
  if (dumped.type === "refused") return refused(dumped, terminal);
  terminal.out(writeYaml(dumped.values));
  return 0;
}

interface MaskQuery {
  readonly flags: PerftuneFlags;
  readonly options: PerftuneOptions;
  readonly machine: Machine;
}

/** A mask of the user is printed as it was written. In a dry run all output is commands and comments. */
function printMask({ flags, options, machine }: MaskQuery, terminal: Terminal): number {
  const print = (mask: string): number => {
    terminal.out(`${flags.dryRun ? "# " : ""}${mask}\n`);
    return 0;
  };
  const masks = deriveMasks({ ...machine, options });
  if (masks.type === "refused")
    return flags.getCpuMaskQuiet && masks.reason === "ZeroComputeMask" ? print("0x0") : refused(masks, terminal);
  return print(
    flags.getIrqCpuMask ? (options.irqCpuMask?.text ?? canonicalMask(masks.irq)) : canonicalMask(masks.compute),
  );
}

async function preview(host: Host, options: PerftuneOptions, terminal: Terminal): Promise<number> {
  const plan = await previewPerftune(host, options);
  if (plan.type === "refused") return refused(plan, terminal);
  for (const step of plan.steps) terminal.out(`${shellLines(step).join("\n")}\n`);
  return 0;
}

function refused({ problem, exitCode }: PerftuneRefusal, terminal: Terminal): number {
  terminal.err(printableLines(`error: ${problem}\n`));
  return exitCode;
}
