import { covers, cpuRanges } from "./cpu-ranges.ts";
import { type CpuSet, cpuSet } from "./cpu-set.ts";
import type { Core, CpuTopology, NumaNode } from "./cpu-topology.ts";

export const cpuFolder = "/sys/devices/system/cpu";
export const nodeFolder = "/sys/devices/system/node";

/** No kernel supports more CPUs or NUMA nodes: a snapshot with more was not taken on a machine. */
const mostIds = 8192;

/** Read-only access to the files of a machine, in memory. Paths are absolute, as the machine itself sees them. */
export interface FileView {
  /** Undefined for a missing file. */
  read(path: string): string | undefined;
  /** Names in a folder; none for a missing folder. */
  list(path: string): readonly string[];
}

/** The CPU topology of a machine, as its kernel shows it in /sys, and where that is missing in /proc. */
export function readTopology(view: FileView): CpuTopology {
  const processors = readProcessors(view.read("/proc/cpuinfo") ?? "");
  const { online, offline } = onlineAndOffline(view, [...processors.keys()]);
  const nodes = idsIn(view, nodeFolder, "node");
  // A kernel without NUMA has one node, and no such folder.
  const ids = nodes.length > 0 ? nodes : [0];
  const cores = coresOf(view, online, processors);
  const nodeOf = numaNodeOfCpus(view, ids, online);
  const numaNodes = ids.map((id): NumaNode => {
    // A CPU that no NUMA node lists belongs to the first one, as in the kernel.
    const own = cores.filter(({ cpus }) => (nodeOf.get(cpus[0] ?? 0) ?? ids[0]) === id);
    const memoryKiB = memoryOf(view, id, ids.length === 1);
    return { id, ...(memoryKiB === undefined ? {} : { memoryKiB }), cores: own };
  });
  const memoryKiB = memTotal(view.read("/proc/meminfo"));
  return { numaNodes, offline, ...(memoryKiB === undefined ? {} : { memoryKiB }) };
}

/** Each CPU has a file `online`, except for CPUs that cannot go offline. */
function onlineAndOffline(view: FileView, processors: CpuSet): { online: CpuSet; offline: CpuSet } {
  const found = idsIn(view, cpuFolder, "cpu");
  const off = cpuRanges(view.read(`${cpuFolder}/offline`));
  const present = view.read(`${cpuFolder}/present`);
  const presentRanges = cpuRanges(present);
  const online: number[] = [];
  const offline: number[] = [];
  for (const cpu of found.length > 0 ? found : cpuSet(processors)) {
    if (present !== undefined && !covers(presentRanges, cpu)) continue;
    const own = view.read(`${cpuFolder}/cpu${cpu}/online`)?.trim();
    if (own === "0" || (own === undefined && covers(off, cpu))) offline.push(cpu);
    else online.push(cpu);
  }
  return { online, offline };
}

/**
 * Threads of one core are those that the kernel lists as siblings. Core ids are used only where it lists none: they repeat
 * in every socket, and on some machines in every cluster of a socket.
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

/** The NUMA node of each CPU. */
function numaNodeOfCpus(view: FileView, ids: readonly number[], online: CpuSet): ReadonlyMap<number, number> {
  const nodeOf = new Map<number, number>();
  for (const id of ids) {
    const folder = `${nodeFolder}/node${id}`;
    const links = new Set(idsIn(view, folder, "cpu"));
    const listed = cpuRanges(view.read(`${folder}/cpulist`));
    for (const cpu of online) if (!nodeOf.has(cpu) && (links.has(cpu) || covers(listed, cpu))) nodeOf.set(cpu, id);
  }
  return nodeOf;
}

function memoryOf(view: FileView, node: number, alone: boolean): number | undefined {
  return memTotal(view.read(`${nodeFolder}/node${node}/meminfo`) ?? (alone ? view.read("/proc/meminfo") : undefined));
}

function memTotal(text: string | undefined): number | undefined {
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
  // Where the firmware names no socket, the kernel has -1 or 4294967295 for all CPUs.
  return /^-?[0-9]{1,10}$/.test(text) ? Number(text) : undefined;
}

/** A CPU in /proc/cpuinfo; not every architecture names sockets and cores there. */
interface Processor {
  readonly socket?: number;
  readonly core?: number;
}

/** By CPU number. */
function readProcessors(cpuinfo: string): ReadonlyMap<number, Processor> {
  const processors = new Map<number, Processor>();
  let current: number | undefined;
  for (const line of cpuinfo.split("\n")) {
    const match = /^(processor|physical id|core id)\s*:\s*([0-9]{1,9})\s*$/.exec(line);
    if (!match) continue;
    const value = Number(match[2]);
    if (match[1] === "processor") {
      current = value < mostIds ? value : undefined;
      if (current !== undefined) processors.set(current, {});
    } else if (current !== undefined)
      processors.set(current, {
        ...processors.get(current),
        ...(match[1] === "core id" ? { core: value } : { socket: value }),
      });
  }
  return processors;
}
