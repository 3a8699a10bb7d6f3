import type { CpuTopology } from "../../../../src/language/cpu/cpu-topology.ts";

export interface MachineShape {
  readonly sockets?: number;
  /** Of each socket. */
  readonly numaNodes?: number;
  /** Of each NUMA node. */
  readonly cores: number;
  /** Of each core. */
  readonly threads?: number;
}

/** A machine whose second threads are numbered after all first threads, as x86 firmware does. */
export function machine({ sockets = 1, numaNodes = 1, cores, threads = 1 }: MachineShape): CpuTopology {
  const nodes = sockets * numaNodes;
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
  return {
    numaNodes: numbers(nodes).map((id) => ({
      id,
      memoryKiB: 8 * 2 ** 20,
      cores: numbers(cores).map((core) => ({
        id: core,
        socket: Math.floor(id / numaNodes),
        cpus: numbers(threads).map((thread) => id * cores + core + thread * nodes * cores),
      })),
    })),
    offline: [],
  };
}
