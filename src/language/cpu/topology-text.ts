import { isObject } from "../object/json.ts";
import { mostCpus } from "./cpu-mask.ts";
import { type CpuSet, formatRanges } from "./cpu-set.ts";
import type { Core, CpuTopology, NumaNode } from "./cpu-topology.ts";
import { parseCpuset } from "./kubernetes-cpuset.ts";

/** A topology as it is stored in objects: readable, and small even for many CPUs. */
export interface TopologyText {
  numaNodes: NumaNodeText[];
  /** A cpuset. */
  offline: string;
  /** Of the whole machine, by /proc/meminfo: `32768Ki` */
  memory?: string;
}

export interface NumaNodeText {
  id: number;
  /** By the NUMA node's own meminfo: `16384Ki` */
  memory?: string;
  /** `SOCKET/CORE:CPUSET` each: `0/3:3,11`. */
  cores: string[];
}

export function formatTopology({ numaNodes, offline, memoryKiB: whole }: CpuTopology): TopologyText {
  return {
    ...(whole === undefined ? {} : { memory: `${whole}Ki` }),
    numaNodes: numaNodes.map(({ id, memoryKiB, cores }) => ({
      id,
      ...(memoryKiB === undefined ? {} : { memory: `${memoryKiB}Ki` }),
      cores: cores.map(({ socket, id: core, cpus }) => `${socket}/${core}:${formatRanges(cpus)}`),
    })),
    offline: formatRanges(offline),
  };
}

/**
 * Undefined if any part is invalid: half a topology would lead to a wrong division of CPUs. Each CPU may appear once, so that
 * a short text cannot name more CPUs than there can be.
 */
export function parseTopology(text: unknown): CpuTopology | undefined {
  if (!isObject(text) || !Array.isArray(text.numaNodes)) return undefined;
  const seen = new Set<number>();
  const numaNodes = new Map<number, NumaNode>();
  for (const one of text.numaNodes as unknown[]) {
    const node = parseNumaNode(one, seen);
    if (!node || numaNodes.has(node.id)) return undefined;
    numaNodes.set(node.id, node);
  }
  const offline = newCpus(text.offline ?? "", seen);
  const memoryKiB = text.memory === undefined ? undefined : parseMemory(text.memory);
  if (!offline || (text.memory !== undefined && memoryKiB === undefined)) return undefined;
  const sorted = [...numaNodes.values()].sort((a, b) => a.id - b.id);
  return { numaNodes: sorted, offline, ...(memoryKiB === undefined ? {} : { memoryKiB }) };
}

function parseNumaNode(value: unknown, seen: Set<number>): NumaNode | undefined {
  if (!isObject(value) || !Array.isArray(value.cores)) return undefined;
  const { id } = value;
  if (typeof id !== "number" || !Number.isInteger(id) || id < 0 || id >= mostCpus) return undefined;
  const memoryKiB = value.memory === undefined ? undefined : parseMemory(value.memory);
  if (value.memory !== undefined && memoryKiB === undefined) return undefined;
  const cores: Core[] = [];
  for (const one of value.cores as unknown[]) {
    const core = parseCore(one, seen);
    if (!core) return undefined;
    cores.push(core);
  }
  cores.sort((a, b) => (a.cpus[0] ?? 0) - (b.cpus[0] ?? 0));
  return { id, ...(memoryKiB === undefined ? {} : { memoryKiB }), cores };
}

/** In KiB. */
export function parseMemory(value: unknown): number | undefined {
  const match = typeof value === "string" ? /^([0-9]{1,15})Ki$/.exec(value) : null;
  return match ? Number(match[1]) : undefined;
}

/** The kernel has -1 for a socket or a core that the firmware does not name. */
function parseCore(value: unknown, seen: Set<number>): Core | undefined {
  const match = typeof value === "string" ? /^(-?[0-9]{1,10})\/(-?[0-9]{1,10}):([^]+)$/.exec(value) : null;
  const cpus = match && newCpus(match[3], seen);
  return cpus ? { id: Number(match[2]), socket: Number(match[1]), cpus } : undefined;
}

function newCpus(text: unknown, seen: Set<number>): CpuSet | undefined {
  const read = typeof text === "string" ? parseCpuset(text) : undefined;
  if (read?.type !== "cpus") return undefined;
  for (const cpu of read.cpus) {
    if (seen.has(cpu)) return undefined;
    seen.add(cpu);
  }
  return read.cpus;
}
