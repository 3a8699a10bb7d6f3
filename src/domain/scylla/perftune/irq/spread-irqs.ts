import { type CpuSet } from "../../../../language/cpu/cpu-set.ts";
import { cpuTree } from "../../../../language/cpu/cpu-tree.ts";
import type { CpuTopology } from "../../../../language/cpu/cpu-topology.ts";
import type { PerftuneAction, Refusal } from "../action.ts";
import { kernelMask } from "../masks/mask-text.ts";
import { spread } from "../masks/spread.ts";

export interface IrqSpread {
  readonly irqs: readonly number[];
  readonly cpus: CpuSet;
  readonly topology: CpuTopology;
  readonly refusal: Refusal;
}

/** Each IRQ gets one CPU: the first of its share of the CPUs. */
export function spreadIrqs({ irqs, cpus, topology, refusal }: IrqSpread): PerftuneAction[] {
  const shares = spread(cpuTree(topology, cpus), irqs.length);
  return irqs.map((irq, index) => ({
    type: "write",
    path: `/proc/irq/${irq}/smp_affinity`,
    value: kernelMask(shares[index]?.slice(0, 1) ?? []),
    refusal,
  }));
}
