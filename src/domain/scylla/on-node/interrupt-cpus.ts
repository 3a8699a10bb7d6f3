import { formatMask } from "../../../language/cpu/cpu-mask.ts";
import { cpuSet, type CpuSet, difference } from "../../../language/cpu/cpu-set.ts";

/** CPUs for interrupts: those of the node that no database has for itself. Empty if databases have all. */
export function interruptCpus(ofNode: CpuSet, ofDatabases: readonly CpuSet[]): CpuSet {
  return difference(ofNode, cpuSet(ofDatabases.flat()));
}

/** `0x00000001,0x00000000`: zero words are written, as the Scylla operator does. */
export function maskText(cpus: CpuSet): string {
  return formatMask(cpus)
    .split(",")
    .map((word) => `0x${word}`)
    .join(",");
}
