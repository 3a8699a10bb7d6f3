import { cpuSet, formatRanges } from "../../../language/cpu/cpu-set.ts";
import { coresOf, onlineCpus } from "../../../language/cpu/cpu-topology.ts";
import { countsDiffer, numaMemoryKiB } from "../../../language/cpu/memory-counts.ts";
import type { CacheText } from "../../../language/cpu/load-caches.ts";
import { parseTopology } from "../../../language/cpu/topology-text.ts";
import type { Hardware } from "../api.ts";

/** The hardware of a node, counted. */
export interface HardwareExplanation {
  readonly architecture?: string;
  readonly vendor?: string;
  readonly sockets: number;
  readonly cores: number;
  /** CPUs that are online. */
  readonly threads: number;
  /** CPUs that are offline: `12-15`. */
  readonly offline?: string;
  /** That several cores share. Absent: none, or not reported. */
  readonly caches?: readonly CacheText[];
  /** By /proc/meminfo, where the NUMA nodes' sum is another amount. */
  readonly otherMemory?: string;
  readonly numaNodes: readonly {
    readonly id: number;
    /** As the agent reports it: `16777216Ki`. */
    readonly memory?: string;
    readonly cpus: string;
  }[];
}

/** Undefined if the agent has reported nothing, or nothing valid. */
export function explainHardware(hardware: Hardware | undefined): HardwareExplanation | undefined {
  const topology = parseTopology(hardware);
  if (!hardware || !topology) return undefined;
  const { architecture, vendor, caches = [] } = hardware;
  const cores = coresOf(topology);
  const { memoryKiB: whole } = topology;
  const numa = numaMemoryKiB(topology);
  const disagrees = whole !== undefined && numa !== undefined && countsDiffer(whole, numa);
  return {
    ...(architecture ? { architecture } : {}),
    ...(vendor ? { vendor } : {}),
    sockets: new Set(cores.map(({ socket }) => socket)).size,
    cores: cores.length,
    threads: onlineCpus(topology).length,
    ...(topology.offline.length > 0 ? { offline: formatRanges(topology.offline) } : {}),
    ...(caches.length > 0 ? { caches } : {}),
    ...(disagrees ? { otherMemory: `${whole}Ki` } : {}),
    numaNodes: topology.numaNodes.map(({ id, memoryKiB, cores: own }) => ({
      id,
      ...(memoryKiB === undefined ? {} : { memory: `${memoryKiB}Ki` }),
      cpus: formatRanges(cpuSet(own.flatMap(({ cpus }) => cpus))),
    })),
  };
}
