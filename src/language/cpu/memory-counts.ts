import type { CpuTopology } from "./cpu-topology.ts";

/** The memory that the kernel manages on all NUMA nodes; undefined if that of one is unknown. */
export function numaMemoryKiB({ numaNodes }: CpuTopology): number | undefined {
  return numaNodes.reduce<number | undefined>(
    (sum, { memoryKiB }) => (sum === undefined || memoryKiB === undefined ? undefined : sum + memoryKiB),
    0,
  );
}

/** The kernel's own counts differ by a few pages. */
const tolerance = 0.01;

/** Whether two counts of a machine's memory mean different amounts. */
export function countsDiffer(a: number, b: number): boolean {
  return Math.abs(a - b) > Math.max(a, b) * tolerance;
}
