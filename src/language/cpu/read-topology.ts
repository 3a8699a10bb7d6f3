import { covers, cpuRanges } from "./cpu-ranges.ts";
import { type CpuSet, cpuSet } from "./cpu-set.ts";
import type { Core, CpuTopology, NumaNode } from "./cpu-topology.ts";
import type { FileView } from "./file-view.ts";
import { mostIds, type Processor, readProcessors } from "./processors.ts";

export const cpuFolder = "/sys/devices/system/cpu";
export const nodeFolder = "/sys/devices/system/node";

/** What a machine is made of, as its kernel shows it in /sys, and where that is missing in /proc. */
export function readTopology(view: FileView): CpuTopology {
  const processors = readProcessors(view.read("/proc/cpuinfo") ?? "");
  const { online, offline } = switchedOnAndOff(view, [...processors.keys()]);
  const nodes = idsIn(view, nodeFolder, "node");
  // A kernel without NUMA has no such folder, and one node.
  const ids = nodes.length > 0 ? nodes : [0];
  const cores = coresOf(view, online, processors);
  const homes = homesOf(view, ids, online);
  const numaNodes = ids.map((id): NumaNode => {
    // A CPU that no node claims belongs to the first one, as it does to the kernel.
    const own = cores.filter(({ cpus }) => (homes.get(cpus[0] ?? 0) ?? ids[0]) === id);
    const memoryKiB = memoryOf(view, id, ids.length === 1);
    return { id, ...(memoryKiB === undefined ? {} : { memoryKiB }), cores: own };
  });
  return { numaNodes, offline };
}

/** A CPU says itself whether it is on; one that cannot be switched off has no such file. */
function switchedOnAndOff(view: FileView, processors: CpuSet): { online: CpuSet; offline: CpuSet } {
  const found = idsIn(view, cpuFolder, "cpu");
  const off = cpuRanges(view.read(`${cpuFolder}/offline`));
  const present = view.read(`${cpuFolder}/present`);
  const there = cpuRanges(present);
  const online: number[] = [];
  const offline: number[] = [];
  for (const cpu of found.length > 0 ? found : cpuSet(processors)) {
    if (present !== undefined && !covers(there, cpu)) continue;
    const own = view.read(`${cpuFolder}/cpu${cpu}/online`)?.trim();
    if (own === "0" || (own === undefined && covers(off, cpu))) offline.push(cpu);
    else online.push(cpu);
  }
  return { online, offline };
}

/**
 * Threads of one core: those that the kernel calls siblings. Ids of cores repeat in every socket, and on some machines in
 * every cluster of one; they only tell siblings where the kernel does not list them.
 */
function coresOf(view: FileView, online: CpuSet, processors: ReadonlyMap<number, Processor>): Core[] {
  const cores = new Map<string, { id: number; socket: number; cpus: number[] }>();
  for (const cpu of online) {
    const topology = `${cpuFolder}/cpu${cpu}/topology`;
    const socket = idAt(view, `${topology}/physical_package_id`) ?? processors.get(cpu)?.socket ?? 0;
    const core = idAt(view, `${topology}/core_id`) ?? processors.get(cpu)?.core;
    const siblings = cpuRanges(
      view.read(`${topology}/core_cpus_list`) ?? view.read(`${topology}/thread_siblings_list`),
    );
    const first = covers(siblings, cpu) ? online.find((sibling) => covers(siblings, sibling)) : undefined;
    const key =
      first !== undefined ? `siblings of ${first}` : core !== undefined ? `${socket}/${core}` : `alone ${cpu}`;
    const known = cores.get(key);
    if (known) known.cpus.push(cpu);
    else cores.set(key, { id: core ?? cpu, socket, cpus: [cpu] });
  }
  return [...cores.values()];
}

/** Which node each CPU belongs to. */
function homesOf(view: FileView, ids: readonly number[], online: CpuSet): ReadonlyMap<number, number> {
  const homes = new Map<number, number>();
  for (const id of ids) {
    const folder = `${nodeFolder}/node${id}`;
    const links = new Set(idsIn(view, folder, "cpu"));
    const listed = cpuRanges(view.read(`${folder}/cpulist`));
    for (const cpu of online) if (!homes.has(cpu) && (links.has(cpu) || covers(listed, cpu))) homes.set(cpu, id);
  }
  return homes;
}

function memoryOf(view: FileView, node: number, alone: boolean): number | undefined {
  const text = view.read(`${nodeFolder}/node${node}/meminfo`) ?? (alone ? view.read("/proc/meminfo") : undefined);
  const kibibytes = /^(?:Node\s+\d+\s+)?MemTotal:\s*(\d{1,15})\s*kB/m.exec(text ?? "")?.[1];
  return kibibytes === undefined ? undefined : Number(kibibytes);
}

/** The numbers of `cpu0`, `cpu1`, … in a folder. */
export function idsIn(view: FileView, folder: string, word: "cpu" | "node"): readonly number[] {
  return idsAmong(view.list(folder), word);
}

export function idsAmong(names: readonly string[], word: "cpu" | "node"): readonly number[] {
  const ids = names.flatMap((name) => {
    const digits = name.startsWith(word) ? name.slice(word.length) : "";
    return /^(0|[1-9][0-9]{0,3})$/.test(digits) && Number(digits) < mostIds ? [Number(digits)] : [];
  });
  return cpuSet(ids);
}

function idAt(view: FileView, path: string): number | undefined {
  const text = view.read(path)?.trim() ?? "";
  // Some firmware names no socket, and the kernel then says -1 or 4294967295: still the same one for all.
  return /^-?[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}
