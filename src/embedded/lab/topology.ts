import type { CpuSet } from "../../language/cpu/cpu-set.ts";

/** The hardware of a kind of virtual machine, and the programs that it has in one of several kinds. */
export interface Topology {
  cpus: number;
  memoryMiB: number;
  architecture: "amd64" | "arm64";
  kernelRelease: string;
  /** Default 1. */
  sockets?: number;
  /** Default 1. */
  threadsPerCore?: number;
  /** Memory nodes, each with a block of cores and a share of the memory. Default: one for each socket. */
  numaNodes?: number;
  /** Huge pages allocated at boot: their number by size in KiB. */
  hugepages?: ReadonlyMap<number, number>;
  /** Default containerd. */
  runtime?: ContainerRuntime;
  /** That of OpenShift also partitions its node. Default kubernetes. */
  kubelet?: KubeletFlavour;
  /** The kubelet's CPU manager has the static policy, and reserves these CPUs. Default: it has the policy none. */
  reservedCpus?: CpuSet;
  /** Queues of the network card, with interrupts. Default: the card has neither. */
  networkQueues?: number;
  /** Where an NVMe disk for data is mounted. Default: there is none. */
  dataDisk?: string;
}

export const containerRuntimes = ["containerd", "cri-o"] as const;
export type ContainerRuntime = (typeof containerRuntimes)[number];

export const kubeletFlavours = ["kubernetes", "openshift"] as const;
export type KubeletFlavour = (typeof kubeletFlavours)[number];

/** The place of a CPU in the topology. */
export interface CpuPlace {
  readonly socket: number;
  /** The core's number in its socket. */
  readonly core: number;
  readonly numaNode: number;
  /** The threads of its core, this CPU included. */
  readonly threads: readonly number[];
}

/**
 * By CPU number, as the firmware of common servers numbers them: first one thread of every core, then the next thread of
 * every core. Sockets and memory nodes have blocks of consecutive cores.
 */
export function cpuLayout(topology: Topology): readonly CpuPlace[] {
  const { cpus, threadsPerCore = 1, sockets = 1 } = topology;
  const numaNodes = numaNodesOf(topology);
  const cores = Math.ceil(cpus / threadsPerCore);
  const places: CpuPlace[] = [];
  for (let cpu = 0; cpu < cpus; cpu++) {
    const core = cpu % cores;
    // All threads of a core share one object.
    const first = places[core];
    if (first) {
      places.push(first);
      continue;
    }
    const socket = blockOf(core, cores, sockets);
    const threads = Array.from({ length: threadsPerCore }, (_, thread) => core + thread * cores);
    places.push({
      socket,
      core: core - startOf(socket, cores, sockets),
      numaNode: blockOf(core, cores, numaNodes),
      threads: threads.filter((one) => one < cpus),
    });
  }
  return places;
}

export function numaNodesOf({ sockets = 1, numaNodes = sockets }: Topology): number {
  return numaNodes;
}

/** The first item of a block, where `items` are divided among `blocks`. */
function startOf(block: number, items: number, blocks: number): number {
  return Math.floor((block * items) / blocks);
}

/** The last block that starts no later than the item. */
function blockOf(item: number, items: number, blocks: number): number {
  return Math.ceil(((item + 1) * blocks) / items) - 1;
}
