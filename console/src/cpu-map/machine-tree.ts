import { type CpuSet, cpuSet } from "../../../src/language/cpu/cpu-set.ts";
import type { Core, CpuTopology, NumaNode } from "../../../src/language/cpu/cpu-topology.ts";

/** A cache that some CPUs share. */
export interface SharedCache {
  readonly level: number;
  readonly sizeKiB?: number;
  readonly cpus: CpuSet;
}

/** A part of a machine as the map nests it: with parts inside, or with cores. */
export interface MachinePart {
  /** Unique in the machine, and the same in every layout of it. */
  readonly key: string;
  readonly level: "socket" | "numa" | "cache" | "off";
  readonly title: string;
  readonly cpus: CpuSet;
  /** The NUMA node, if the part is in one. */
  readonly numaNode?: number;
  readonly parts: readonly MachinePart[];
  /** Empty if there are parts. */
  readonly cores: readonly PlacedCore[];
}

/** A core and where it is. A CPU that is offline is a core of its own: the kernel does not say which core it belongs to. */
export interface PlacedCore {
  readonly cpus: CpuSet;
  /** Absent for CPUs that are offline. */
  readonly core?: Core;
  readonly numaNode?: number;
  readonly cache?: SharedCache;
}

/**
 * The parts of a machine, from the outside: sockets, NUMA nodes, last-level caches. NUMA nodes are outermost if one has cores of
 * several sockets. A part with a single part inside is merged with it. Unlike in lstopo equal parts are never drawn once with a
 * count: what differs between them is what people look for.
 */
export function machineTree(topology: CpuTopology, caches: readonly SharedCache[] = []): readonly MachinePart[] {
  const lastLevel = Math.max(0, ...caches.map(({ level }) => level));
  const shared = caches.filter(({ level }) => level === lastLevel && level > 1);
  const nodes = topology.numaNodes.filter(({ cores }) => cores.length > 0);
  const spans = nodes.some(({ cores }) => new Set(cores.map(({ socket }) => socket)).size > 1);
  const outer = spans ? nodes.map((node) => numaOutermost(node, shared)) : socketsOutermost(nodes, shared);
  const memoryOnly = topology.numaNodes.filter(({ cores }) => cores.length === 0).map(withoutCpus);
  return [...outer.map(merged), ...memoryOnly, ...switchedOff(topology.offline)];
}

function socketsOutermost(nodes: readonly NumaNode[], caches: readonly SharedCache[]): MachinePart[] {
  const cores = nodes.flatMap((node) => node.cores.map((core) => ({ node, core })));
  return [...grouped(cores, ({ core }) => core.socket)]
    .sort(([a], [b]) => a - b)
    .map(([socket, members]) => {
      const parts = [...grouped(members, ({ node }) => node)].map(([node, inNode]) =>
        numaPart({ node, cores: inNode.map(({ core }) => core), caches }),
      );
      return group({ key: `s${socket}`, level: "socket", title: socketTitle(socket), parts });
    });
}

function numaOutermost(node: NumaNode, caches: readonly SharedCache[]): MachinePart {
  const sockets = [...grouped(node.cores, ({ socket }) => socket)].sort(([a], [b]) => a - b);
  const parts = sockets.map(([socket, cores]): MachinePart => {
    const { parts, cores: direct } = byCache({ node, cores, caches });
    const key = `n${node.id}s${socket}`;
    return { key, level: "socket", title: socketTitle(socket), ...about(cores, node), parts, cores: direct };
  });
  return { ...group({ key: `n${node.id}`, level: "numa", title: numaTitle(node), parts }), numaNode: node.id };
}

interface CoresOfNode {
  node: NumaNode;
  cores: readonly Core[];
  caches: readonly SharedCache[];
}

function numaPart(input: CoresOfNode): MachinePart {
  const { node, cores } = input;
  const title = numaTitle(node);
  return { key: `n${node.id}s${cores[0]?.socket}`, level: "numa", title, ...about(cores, node), ...byCache(input) };
}

/** Cores by the cache that they share; directly, if the machine names none. */
function byCache({ node, cores, caches }: CoresOfNode): Pick<MachinePart, "parts" | "cores"> {
  const placed = cores.map((core): PlacedCore => {
    const cache = caches.find(({ cpus }) => cpus.includes(core.cpus[0] ?? -1));
    return { cpus: core.cpus, core, numaNode: node.id, ...(cache ? { cache } : {}) };
  });
  const groups = [...grouped(placed, ({ cache }) => cache)];
  if (groups.every(([cache]) => !cache)) return { parts: [], cores: placed };
  const parts = groups.map(([cache, members]): MachinePart => {
    const key = `n${node.id}s${cores[0]?.socket}c${members[0]?.cpus[0]}`;
    const cpus = cpuSet(members.flatMap(({ cpus }) => cpus));
    const title = cache ? cacheTitle(cache) : "Cache unknown";
    return { key, level: "cache", title, cpus, numaNode: node.id, parts: [], cores: members };
  });
  return { parts, cores: [] };
}

function group(part: Pick<MachinePart, "key" | "level" | "title" | "parts">): MachinePart {
  return { ...part, cpus: cpuSet(part.parts.flatMap(({ cpus }) => cpus)), cores: [] };
}

function about(cores: readonly Core[], { id }: NumaNode): Pick<MachinePart, "cpus" | "numaNode"> {
  return { cpus: cpuSet(cores.flatMap(({ cpus }) => cpus)), numaNode: id };
}

function merged(part: MachinePart): MachinePart {
  const parts = part.parts.map(merged);
  const [only] = parts;
  if (!only || parts.length > 1) return { ...part, parts };
  // The inner level stays: it is the one that keys and folds go by.
  const level = only.level === "cache" ? part.level : only.level;
  return { ...only, key: part.key, level, title: `${part.title}, ${only.title}` };
}

function withoutCpus(node: NumaNode): MachinePart {
  const title = `${numaTitle(node)}, no CPUs`;
  return { key: `n${node.id}`, level: "numa", title, cpus: [], numaNode: node.id, parts: [], cores: [] };
}

function switchedOff(offline: CpuSet): MachinePart[] {
  if (offline.length === 0) return [];
  const cores = offline.map((cpu): PlacedCore => ({ cpus: [cpu] }));
  return [{ key: "off", level: "off", title: "Off, place unknown", cpus: offline, parts: [], cores }];
}

function numaTitle({ id, memoryKiB }: NumaNode): string {
  return memoryKiB === undefined ? `NUMA ${id}` : `NUMA ${id}, ${formatKiB(memoryKiB)}`;
}

function grouped<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** The kernel has -1 for a socket that the firmware does not name. */
function socketTitle(socket: number): string {
  return socket < 0 ? "Socket unknown" : `Socket ${socket}`;
}

export function cacheTitle({ level, sizeKiB }: SharedCache): string {
  return sizeKiB === undefined ? `L${level}` : `L${level} ${formatKiB(sizeKiB)}`;
}

/** `32 MiB`: as much as a title needs. */
function formatKiB(kib: number): string {
  if (kib >= 2 ** 20) return `${Math.round(kib / 2 ** 20)} GiB`;
  return kib >= 2 ** 10 ? `${Math.round(kib / 2 ** 10)} MiB` : `${kib} KiB`;
}
