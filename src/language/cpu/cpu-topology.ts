import { type CpuSet, cpuSet } from "./cpu-set.ts";

/** What a machine is made of, as far as whoever divides its CPUs needs to know. */
export interface CpuTopology {
  /** By id. */
  readonly numaNodes: readonly NumaNode[];
  /** Present, but switched off: their place is not known. */
  readonly offline: CpuSet;
}

export interface NumaNode {
  readonly id: number;
  readonly memoryKiB?: number;
  /** By their first thread. */
  readonly cores: readonly Core[];
}

export interface Core {
  /** The kernel's; unique in its socket only. */
  readonly id: number;
  readonly socket: number;
  /** Its threads that are on. */
  readonly cpus: CpuSet;
}

/** The threads of all cores. */
export function onlineCpus({ numaNodes }: CpuTopology): CpuSet {
  return cpuSet(numaNodes.flatMap(({ cores }) => cores.flatMap(({ cpus }) => cpus)));
}

export function coresOf({ numaNodes }: CpuTopology): readonly Core[] {
  return numaNodes.flatMap(({ cores }) => cores);
}

/** Whether any core has more than one thread. */
export function hasSmt(topology: CpuTopology): boolean {
  return coresOf(topology).some(({ cpus }) => cpus.length > 1);
}
