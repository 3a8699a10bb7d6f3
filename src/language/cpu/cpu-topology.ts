import { type CpuSet, cpuSet } from "./cpu-set.ts";

/** A machine's CPUs, as far as dividing them among workloads needs it. */
export interface CpuTopology {
  /** By id. */
  readonly numaNodes: readonly NumaNode[];
  /** Present but offline: their NUMA node and core are unknown. */
  readonly offline: CpuSet;
  /** MemTotal of /proc/meminfo: all memory that the kernel manages. The kubelet takes its capacity from there when it starts. */
  readonly memoryKiB?: number;
}

export interface NumaNode {
  readonly id: number;
  /**
   * MemTotal of its meminfo in /sys: the memory that the kernel manages there, huge pages included. Without NUMA nodes in /sys
   * that of /proc/meminfo.
   */
  readonly memoryKiB?: number;
  /** By their first thread. */
  readonly cores: readonly Core[];
}

export interface Core {
  /** The kernel's core id; unique only within its socket. */
  readonly id: number;
  readonly socket: number;
  /** Its online threads. */
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

/** Where Kubernetes and the kernel use different names. */
const architectures = new Map([
  ["x86_64", "amd64"],
  ["aarch64", "arm64"],
]);

/** The Kubernetes name of an architecture, by that of `uname -m`. */
export function architectureOf(machine: string): string {
  return architectures.get(machine) ?? machine;
}
