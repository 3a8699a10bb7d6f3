import { coresOf, type CpuTopology, onlineCpus } from "../../../language/cpu/cpu-topology.ts";
import { type CpuSet, cpuSet, union } from "../../../language/cpu/cpu-set.ts";
import type { PoolNode } from "../pool-node.ts";

/** Nodes with the same CPU topology. Thousands of nodes have few layouts. */
export interface Layout {
  readonly topology: CpuTopology;
  /** Names. */
  readonly nodes: readonly string[];
  readonly online: CpuSet;
  /** Online and offline CPUs. */
  readonly present: CpuSet;
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
  return [...layouts.values()].map(({ topology, nodes: names }) => {
    const online = onlineCpus(topology);
    return { topology, nodes: names, online, present: union(online, topology.offline) };
  });
}

/** Equal for nodes with the same topology, whatever memory they have. */
export function layoutText({ numaNodes, offline }: CpuTopology): string {
  return JSON.stringify([offline, numaNodes.map(({ id, cores }) => [id, cores.map(({ cpus }) => cpus)])]);
}

/** Number of online and offline CPUs. */
export function presentCount({ numaNodes, offline }: CpuTopology): number {
  let count = offline.length;
  for (const { cores } of numaNodes) for (const { cpus } of cores) count += cpus.length;
  return count;
}

/** CPUs that `nosmt` takes offline: all threads of a core but the first. */
export function laterThreads(topology: CpuTopology): CpuSet {
  return cpuSet(coresOf(topology).flatMap(({ cpus }) => cpus.slice(1)));
}
