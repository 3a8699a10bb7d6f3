import { type CpuSet, difference, intersection } from "../../../../language/cpu/cpu-set.ts";
import { type CpuTree, cpuTree } from "../../../../language/cpu/cpu-tree.ts";
import type { CpuTopology } from "../../../../language/cpu/cpu-topology.ts";
import type { PerftuneOptions } from "../option/perftune-options.ts";
import type { PerftuneMasks, PerftuneRefusal } from "../plan.ts";

/** What masks depend on. */
export interface MaskInput {
  readonly options: Pick<PerftuneOptions, "mode" | "cpuMask" | "irqCpuMask" | "coresPerIrqCore">;
  readonly topology: CpuTopology;
  /** As in `HostFacts`. */
  readonly hasSiblings: boolean;
}

export type DerivedMasks = ({ readonly type: "masks" } & PerftuneMasks) | MaskRefusal;

export interface MaskRefusal extends PerftuneRefusal {
  readonly reason:
    | "NoCpus"
    | "ZeroComputeMask"
    | "ZeroIrqMask"
    | "UnknownTopology"
    /** NUMA nodes have different numbers of cores or threads. */
    | "AsymmetricNumaNodes";
}

/** Few enough CPUs or cores that interrupts are handled by all CPUs, or by one. */
const fewCpus = 4;
const fewCores = 4;

/** Which CPUs handle interrupts, and which the database has. */
export function deriveMasks({ options, topology, hasSiblings }: MaskInput): DerivedMasks {
  const machine = cpuTree(topology);
  const universe = universeOf(machine, options.cpuMask?.cpus);
  if (universe.length === 0) return refused("NoCpus", "the kernel shows no CPU that is online");
  const given = options.irqCpuMask && intersection(options.irqCpuMask.cpus, universe);
  if (given) return masks(universe, given);
  switch (options.mode) {
    case "auto": {
      const irq = automatic(cpuTree(topology, universe), options.coresPerIrqCore, hasSiblings);
      return Array.isArray(irq) ? masks(universe, irq) : irq;
    }
    case "mq":
    case "no_irq_restrictions":
      return masks(universe, universe);
    case "sq":
      return without(universe, machine.cpus.slice(0, 1));
    case "sq_split":
      return without(universe, machine.below[0]?.below[0]?.cpus ?? []);
  }
}

/** The CPUs that a run may use: all, where a mask has none of the machine's. */
export function universeOf(machine: CpuTree, cpuMask: CpuSet | undefined): CpuSet {
  const within = cpuMask ? intersection(machine.cpus, cpuMask) : machine.cpus;
  return within.length > 0 ? within : machine.cpus;
}

/** Interrupts have these CPUs, the database has all others. */
function without(universe: CpuSet, reserved: CpuSet): DerivedMasks {
  const compute = difference(universe, reserved);
  if (compute.length === 0) return noCompute;
  const irq = difference(universe, compute);
  return irq.length === 0 ? noIrq : { type: "masks", universe, irq, compute };
}

/** CPUs that all handle interrupts are the database's too. */
function masks(universe: CpuSet, irq: CpuSet): DerivedMasks {
  if (irq.length === 0) return noIrq;
  if (irq.length === universe.length) return { type: "masks", universe, irq, compute: universe };
  return { type: "masks", universe, irq, compute: difference(universe, irq) };
}

function automatic(machine: CpuTree, coresPerIrqCore: number, hasSiblings: boolean): number[] | MaskRefusal {
  if (!hasSiblings) return unknownTopology;
  const nodes = machine.below;
  const cores = nodes.flatMap(({ below }) => below);
  const [first] = nodes;
  if (!first) return noIrq;
  const coresPerNode = first.below.length;
  if (nodes.some(({ cpus, below }) => below.length !== coresPerNode || cpus.length !== first.cpus.length))
    return asymmetric(nodes);
  if (machine.cpus.length <= fewCpus) return [...machine.cpus];
  if (cores.length <= fewCores) return machine.cpus.slice(0, 1);
  if (cores.length <= coresPerIrqCore) return [...(first.below[0]?.cpus ?? [])];
  const perNode = Math.ceil(coresPerNode / coresPerIrqCore);
  return nodes.flatMap(({ below }) => below.slice(0, perNode).flatMap(({ cpus }) => cpus)).sort((a, b) => a - b);
}

const noCompute = refused(
  "ZeroComputeMask",
  "zero mask for compute: interrupts would take all CPUs, and none is left for the database; use mode mq, or a larger --cpu-mask",
);
const noIrq = refused(
  "ZeroIrqMask",
  "zero mask for IRQs: no CPU is left for interrupts; pass an --irq-cpu-mask with CPUs of this machine, or use mode mq",
);
const unknownTopology: MaskRefusal = {
  ...refused(
    "UnknownTopology",
    "the kernel does not show which CPUs share a core: choose the CPUs of interrupts by --irq-cpu-mask, or use a --mode",
  ),
  exitCode: 3,
};

function asymmetric(nodes: readonly CpuTree[]): MaskRefusal {
  const shapes = nodes.map(({ cpus, below }) => `${below.length} cores with ${cpus.length} CPUs`);
  return refused(
    "AsymmetricNumaNodes",
    `NUMA nodes differ (${shapes.join(", ")}), so that IRQ CPUs cannot be chosen automatically: pass --irq-cpu-mask, or use a --mode`,
  );
}

function refused(reason: MaskRefusal["reason"], problem: string): MaskRefusal {
  return { type: "refused", reason, problem, exitCode: 1 };
}
