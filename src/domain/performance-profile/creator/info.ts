import { cpuSet, formatRanges } from "../../../language/cpu/cpu-set.ts";
import { type CpuTopology, hasSmt, onlineCpus } from "../../../language/cpu/cpu-topology.ts";

/** Existing scripts read these field names. */
export interface PoolInfo {
  readonly name: string;
  readonly nodes: readonly NodeInfo[] | null;
}

export interface NodeInfo {
  readonly name: string;
  readonly smt_enabled: boolean;
  readonly cpus_count: number;
  readonly numa_cells: readonly { readonly id: number; readonly cores: readonly number[] }[];
}

export interface KnownGroup {
  readonly name: string;
  readonly nodes: readonly { readonly name: string; readonly topology: CpuTopology }[];
}

export function poolInfos(groups: readonly KnownGroup[]): PoolInfo[] {
  return groups.map(({ name, nodes }) => ({ name, nodes: nodes.length > 0 ? nodes.map(nodeInfo) : null }));
}

function nodeInfo({ name, topology }: KnownGroup["nodes"][number]): NodeInfo {
  return {
    name,
    smt_enabled: hasSmt(topology),
    cpus_count: onlineCpus(topology).length,
    // The index in the list, not the kernel's id, as existing scripts expect.
    numa_cells: topology.numaNodes.map(({ cores }, id) => ({ id, cores: cpuSet(cores.flatMap(({ cpus }) => cpus)) })),
  };
}

/** The same as text. */
export function poolInfoText(infos: readonly PoolInfo[]): string {
  return infos
    .map(({ name, nodes }) => `Pool ${name}\n${(nodes ?? []).map(nodeText).join("") || "  no nodes\n"}---\n`)
    .join("");
}

function nodeText({ name, smt_enabled, cpus_count, numa_cells }: NodeInfo): string {
  const smt = smt_enabled ? "on" : "off";
  const cells = numa_cells.map(({ id, cores }) => `    NUMA node ${id}: CPUs ${formatRanges(cores) || "none"}\n`);
  const nodes = numa_cells.length === 1 ? "1 NUMA node" : `${numa_cells.length} NUMA nodes`;
  return `  Node ${name}: ${cpus_count} CPUs, ${nodes}, hyper-threading ${smt}\n${cells.join("")}`;
}
