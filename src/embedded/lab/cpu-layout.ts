import type { Topology } from "./topology.ts";

/** Where a CPU is. */
export interface CpuPlace {
  readonly socket: number;
  /** The core's number in its socket. */
  readonly core: number;
  readonly numaNode: number;
  /** The threads of its core, itself among them. */
  readonly threads: readonly number[];
}

/**
 * By number, as firmware of common servers counts: first one thread of every core, then the next thread of every core. Cores
 * are dealt out in blocks, among sockets and among memory nodes.
 */
export function cpuLayout(topology: Topology): readonly CpuPlace[] {
  const { cpus, threadsPerCore = 1, sockets = 1 } = topology;
  const numaNodes = numaNodesOf(topology);
  const cores = Math.ceil(cpus / threadsPerCore);
  const places: CpuPlace[] = [];
  for (let cpu = 0; cpu < cpus; cpu++) {
    const core = cpu % cores;
    // The threads of a core are at one place; the object is its first thread's.
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

/** One for each socket unless said otherwise. */
export function numaNodesOf({ sockets = 1, numaNodes = sockets }: Topology): number {
  return numaNodes;
}

/** The first of the items that go to a block, where `items` are dealt out among `blocks`. */
function startOf(block: number, items: number, blocks: number): number {
  return Math.floor((block * items) / blocks);
}

/** The last block that starts no later than the item. */
function blockOf(item: number, items: number, blocks: number): number {
  return Math.ceil(((item + 1) * blocks) / items) - 1;
}
