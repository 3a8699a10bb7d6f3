import { closeSync, openSync, readSync } from "node:fs";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { effectiveOptions, type EffectiveOptions } from "../../../domain/scylla/perftune/option/effective-options.ts";
import { type GivenOptions, OptionError, readGiven } from "../../../domain/scylla/perftune/option/option-keys.ts";
import type { Values } from "../option/flag.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { perftuneFlags } from "./flags.ts";

export type PerftuneFlags = Values<typeof perftuneFlags>;

/** Options of the command line and of its options file. */
export async function readOptions(flags: PerftuneFlags, terminal: Terminal): Promise<EffectiveOptions> {
  try {
    const given = ofFlags(flags);
    return effectiveOptions(given, flags.optionsFile === undefined ? {} : await ofFile(flags.optionsFile, terminal));
  } catch (error) {
    if (error instanceof OptionError) return { type: "refused", problem: error.message, exitCode: 1 };
    throw error;
  }
}

function ofFlags(flags: PerftuneFlags): GivenOptions {
  return readGiven({
    tune: flags.tune,
    mode: flags.mode,
    nic: flags.nic,
    dir: flags.dir,
    dev: flags.dev,
    cpu_mask: flags.cpuMask,
    irq_cpu_mask: flags.irqCpuMask,
    irq_core_auto_detection_ratio: flags.irqCoreAutoDetectionRatio,
    num_rx_queues: flags.numRxQueues,
    arfs: flags.arfs,
    write_back_cache: flags.writeBackCache,
    tcp_mem_fraction: flags.tcpMemFraction,
    tune_clock: flags.tuneClock || undefined,
  });
}

async function ofFile(path: string, { err }: Terminal): Promise<GivenOptions> {
  // The library that reads YAML is slow to load.
  const { readOptionsFile } = await import("../../../domain/scylla/perftune/option/options-file.ts");
  const { given, unknownKeys } = readOptionsFile(textOf(path));
  for (const key of unknownKeys.slice(0, 10)) err(`warning: ${path}: unknown option ${key} is ignored\n`);
  if (unknownKeys.length > 10) err(`warning: ${path}: ${unknownKeys.length - 10} more unknown options are ignored\n`);
  return given;
}

const mostBytes = 1024 * 1024;

function textOf(path: string): string {
  try {
    return textWithin(path);
  } catch (error) {
    if (error instanceof OptionError) throw error;
    throw new Error(`options file ${path}: ${errorText(error)}`, { cause: error });
  }
}

/** Also of a pipe; not more than an options file can need. */
function textWithin(path: string): string {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(mostBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < buffer.length; length += read)
      read = readSync(file, buffer, length, buffer.length - length, null);
    if (length > mostBytes) throw new OptionError(`options file ${path}: larger than 1 MiB`);
    return buffer.toString("utf8", 0, length);
  } finally {
    closeSync(file);
  }
}
