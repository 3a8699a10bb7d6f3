import type { CpuTopology } from "../../../../language/cpu/cpu-topology.ts";
import { cpuTree } from "../../../../language/cpu/cpu-tree.ts";
import { deriveMasks } from "../masks/derive-masks.ts";
import { canonicalMask } from "../masks/mask-text.ts";
import type { PerftuneRefusal } from "../plan.ts";
import { defaultTcpMemFraction, type PerftuneOptions } from "./perftune-options.ts";

export type DumpedOptions =
  | { readonly type: "options"; readonly values: Readonly<Record<string, unknown>> }
  | PerftuneRefusal;

/**
 * The options as an options file has them, with sorted keys. A mode becomes the mask that it leads to on this machine; a mask that is
 * detected is left out, so that it is detected again.
 */
export function dumpedOptions(options: PerftuneOptions, topology: CpuTopology): DumpedOptions {
  const { irqCpuMask, cpuMask, rxQueues, arfs, writeBackCache, tcpMemFraction, directories, devices } = options;
  let irqMask = irqCpuMask?.text;
  if (options.mode !== "auto") {
    const masks = deriveMasks({ options, topology, hasSiblings: true });
    if (masks.type === "refused") return masks;
    irqMask = canonicalMask(masks.irq);
  }
  return {
    type: "options",
    values: {
      ...(arfs !== undefined && { arfs: Number(arfs) }),
      cpu_mask: cpuMask?.text ?? canonicalMask(cpuTree(topology).cpus),
      ...(devices.length > 0 && { dev: devices }),
      ...(directories.length > 0 && { dir: directories }),
      irq_core_auto_detection_ratio: options.coresPerIrqCore,
      ...(irqMask !== undefined && { irq_cpu_mask: irqMask }),
      nic: options.nics,
      // A text, as existing files have it.
      ...(rxQueues !== undefined && { num_rx_queues: String(rxQueues) }),
      ...(tcpMemFraction !== defaultTcpMemFraction && { tcp_mem_fraction: tcpMemFraction }),
      tune: options.tune,
      ...(options.tuneClock && { tune_clock: true }),
      ...(writeBackCache !== undefined && { write_back_cache: Number(writeBackCache) }),
    },
  };
}
