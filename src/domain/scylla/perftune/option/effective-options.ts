import { isSubset } from "../../../../language/cpu/cpu-set.ts";
import { cpuTree } from "../../../../language/cpu/cpu-tree.ts";
import type { CpuTopology } from "../../../../language/cpu/cpu-topology.ts";
import { shownMask } from "../masks/mask-text.ts";
import type { PerftuneRefusal } from "../plan.ts";
import type { GivenOptions } from "./option-keys.ts";
import {
  components,
  defaultCoresPerIrqCore,
  defaultNic,
  defaultTcpMemFraction,
  leastCoresPerIrqCore,
  type PerftuneOptions,
} from "./perftune-options.ts";

export type EffectiveOptions = { readonly type: "options"; readonly options: PerftuneOptions } | PerftuneRefusal;

/**
 * The options of a run. A value of the command line wins over that of the file; of lists, those of both count, the file's
 * first.
 */
export function effectiveOptions(commandLine: GivenOptions, file: GivenOptions = {}): EffectiveOptions {
  const given: GivenOptions = { ...file, ...commandLine };
  const { mode, cpu_mask, irq_cpu_mask, arfs, num_rx_queues, write_back_cache } = given;
  const tune = both(file.tune, commandLine.tune);
  const nics = both(file.nic, commandLine.nic);
  const coresPerIrqCore = given.irq_core_auto_detection_ratio ?? defaultCoresPerIrqCore;
  if (tune.length === 0)
    return refused(`At least one tune mode MUST be given. Pass --tune net, --tune disks or --tune system`);
  if (mode !== undefined && irq_cpu_mask !== undefined)
    return refused(
      "Provide either tune mode or IRQs CPU mask - not both. --mode and --irq-cpu-mask exclude each other",
    );
  if (coresPerIrqCore < leastCoresPerIrqCore)
    return refused(
      `irq_core_auto_detection_ratio value must be greater or equal than ${leastCoresPerIrqCore}, and is ${coresPerIrqCore}`,
    );
  return {
    type: "options",
    options: {
      tune: components.filter((component) => tune.includes(component)),
      mode: mode ?? "auto",
      nics: nics.length > 0 ? nics : [defaultNic],
      directories: both(file.dir, commandLine.dir),
      devices: both(file.dev, commandLine.dev),
      coresPerIrqCore,
      tcpMemFraction: given.tcp_mem_fraction ?? defaultTcpMemFraction,
      tuneClock: (commandLine.tune_clock ?? false) || (file.tune_clock ?? false),
      ...(cpu_mask && { cpuMask: cpu_mask }),
      ...(irq_cpu_mask && { irqCpuMask: irq_cpu_mask }),
      ...(num_rx_queues !== undefined && { rxQueues: num_rx_queues }),
      ...(arfs !== undefined && { arfs }),
      ...(write_back_cache !== undefined && { writeBackCache: write_back_cache }),
    },
  };
}

/** CPUs that the machine does not have count too: a mask for another machine is an error, not a smaller mask. */
export function checkIrqMask(
  { irqCpuMask, cpuMask }: PerftuneOptions,
  topology: CpuTopology,
): PerftuneRefusal | undefined {
  const within = cpuMask?.cpus ?? cpuTree(topology).cpus;
  if (!irqCpuMask || isSubset(irqCpuMask.cpus, within)) return undefined;
  const outside = cpuMask ? `--cpu-mask ${shownMask(cpuMask)}` : "the CPUs of this machine that are online";
  return refused(`IRQ CPU mask ${shownMask(irqCpuMask)} is not a subset of ${outside}`);
}

function both<T>(first: readonly T[] = [], second: readonly T[] = []): T[] {
  return [...new Set([...first, ...second])];
}

function refused(problem: string): PerftuneRefusal {
  return { type: "refused", problem, exitCode: 1 };
}
