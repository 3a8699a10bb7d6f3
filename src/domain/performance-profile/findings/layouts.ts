import { type Core, coresOf, type CpuTopology, onlineCpus } from "../../../language/cpu/cpu-topology.ts";
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
  const texts = new LayoutTexts();
  for (const { name, topology } of nodes) {
    if (!topology) continue;
    const key = texts.of(topology);
    const layout = layouts.get(key);
    if (layout) layout.nodes.push(name);
    else layouts.set(key, { topology, nodes: [name] });
  }
  return [...layouts.values()].map(({ topology, nodes: names }) => {
    const online = onlineCpus(topology);
    return { topology, nodes: names, online, present: union(online, topology.offline) };
  });
}

/**
 * Texts that are equal for nodes with the same topology, whatever memory they have. Machines that `TopologyReader` found alike
 * share their cores, and get one text: to write it for each of thousands of nodes took most of the time of a preview.
 */
export class LayoutTexts {
  readonly #known = new Map<readonly Core[] | undefined, { topology: CpuTopology; text: string }[]>();

  of(topology: CpuTopology): string {
    const key = topology.numaNodes[0]?.cores;
    const known = this.#known.get(key) ?? [];
    const found = known.find((one) => sharesCores(one.topology, topology));
    if (found) return found.text;
    const text = layoutText(topology);
    this.#known.set(key, [...known, { topology, text }]);
    return text;
  }
}

function sharesCores(a: CpuTopology, b: CpuTopology): boolean {
  return (
    a.offline === b.offline &&
    a.numaNodes.length === b.numaNodes.length &&
    a.numaNodes.every(({ id, cores }, i) => b.numaNodes[i]?.id === id && b.numaNodes[i]?.cores === cores)
  );
}

function layoutText({ numaNodes, offline }: CpuTopology): string {
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
