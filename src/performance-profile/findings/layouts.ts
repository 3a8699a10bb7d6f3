import { coresOf, type CpuTopology, onlineCpus } from "../../cpu/cpu-topology.ts";
import { type CpuSet, cpuSet } from "../../cpu/cpu-set.ts";
import type { PoolNode } from "../pool-node.ts";

/** Nodes whose CPUs are numbered and placed alike. Thousands of nodes have few layouts. */
export interface Layout {
  readonly topology: CpuTopology;
  /** Names. */
  readonly nodes: readonly string[];
}

export function layoutsOf(nodes: readonly PoolNode[]): readonly Layout[] {
  const layouts = new Map<string, { topology: CpuTopology; nodes: string[] }>();
  for (const { name, topology } of nodes) {
    if (!topology) continue;
    const key = layoutText(topology);
    const layout = layouts.get(key);
    if (layout) layout.nodes.push(name);
    else layouts.set(key, { topology, nodes: [name] });
  }
  return [...layouts.values()];
}

/** Equal for machines that may be divided alike; how much memory they have does not count. */
export function layoutText({ numaNodes, offline }: CpuTopology): string {
  return JSON.stringify([offline, numaNodes.map(({ id, cores }) => [id, cores.map(({ cpus }) => cpus)])]);
}

/** Those that run or could. */
export function presentCpus(topology: CpuTopology): CpuSet {
  return cpuSet([...onlineCpus(topology), ...topology.offline]);
}

/** Those that `nosmt` switches off: all threads of a core but the first. */
export function laterThreads(topology: CpuTopology): CpuSet {
  return cpuSet(coresOf(topology).flatMap(({ cpus }) => cpus.slice(1)));
}
