import { type CpuSet, union } from "../../../../language/cpu/cpu-set.ts";
import type { CpuTree } from "../../../../language/cpu/cpu-tree.ts";

/**
 * As many sets of CPUs as wanted, spread over a machine as hwloc-distrib does: each part of it gets a share by its number of
 * CPUs, and splits it among the parts below. A part without a share joins the one before.
 */
export function spread(machine: CpuTree, count: number): CpuSet[] {
  if (machine.cpus.length === 0 || count <= 0) return [];
  const sets: CpuSet[] = [];
  share([machine], count, sets);
  return sets;
}

function share(parts: readonly CpuTree[], count: number, sets: CpuSet[]): void {
  const total = parts.reduce((sum, { cpus }) => sum + cpus.length, 0);
  let before = 0;
  for (const { cpus, below } of parts) {
    const after = before + cpus.length;
    const own = Math.ceil((after * count) / total) - Math.ceil((before * count) / total);
    before = after;
    if (own > 1 && below.length > 0) share(below, own, sets);
    else if (own > 0) for (let copy = 0; copy < own; copy++) sets.push(cpus);
    else sets.push(union(sets.pop() ?? [], cpus));
  }
}
