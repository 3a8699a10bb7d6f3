import { type CpuSet, cpuSet } from "./cpu-set.ts";
import type { CpuTopology } from "./cpu-topology.ts";

/** A machine, a NUMA node, a core or a thread. Those below it are ordered by their first CPU, as hwloc orders them. */
export interface CpuTree {
  readonly cpus: CpuSet;
  /** None for a thread. */
  readonly below: readonly CpuTree[];
}

/** Machine, NUMA nodes, cores and threads, as far as they have CPUs of a set; all if none is given. */
export function cpuTree({ numaNodes }: CpuTopology, within?: CpuSet): CpuTree {
  const allowed = within && new Set(within);
  const isAllowed = (cpu: number): boolean => allowed === undefined || allowed.has(cpu);
  return joined(
    numaNodes.map(({ cores }) =>
      joined(cores.map(({ cpus }) => joined(cpus.filter(isAllowed).map((cpu) => ({ cpus: [cpu], below: [] }))))),
    ),
  );
}

function joined(parts: readonly CpuTree[]): CpuTree {
  const below = parts.filter(({ cpus }) => cpus.length > 0).sort((a, b) => firstCpu(a) - firstCpu(b));
  return { cpus: cpuSet(below.flatMap(({ cpus }) => cpus)), below };
}

function firstCpu({ cpus }: CpuTree): number {
  return cpus[0] ?? 0;
}
