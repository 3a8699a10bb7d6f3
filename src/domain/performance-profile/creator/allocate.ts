import { type CpuSet, cpuSet, difference, union } from "../../../language/cpu/cpu-set.ts";
import { type Core, coresOf, type CpuTopology, type NumaNode, onlineCpus } from "../../../language/cpu/cpu-topology.ts";

/** How to divide the CPUs of a node. */
export interface Division {
  readonly reserved: number;
  readonly offlined: number;
  /** Reserved CPUs come from all NUMA nodes equally, not from the first ones. */
  readonly split: boolean;
  /** The node will boot with one thread per core. */
  readonly disableSmt: boolean;
  /** No whole socket is taken offline: low latency matters more than power. */
  readonly keepSockets: boolean;
}

export type Allocation =
  | {
      readonly type: "allocated";
      readonly reserved: CpuSet;
      readonly isolated: CpuSet;
      readonly offlined: CpuSet;
      readonly warnings: readonly string[];
    }
  | { readonly type: "impossible"; readonly reason: string };

/** Divides the CPUs of a node: each is in exactly one set, except threads that it will boot without. */
export function allocate(topology: CpuTopology, division: Division): Allocation {
  const machine = division.disableSmt ? firstThreads(topology) : topology;
  const all = onlineCpus(machine);
  const excess = excessOf(division, all.length);
  if (excess !== undefined) return { type: "impossible", reason: excess };
  const chosen = chooseReserved(machine.numaNodes, division.reserved, division.split);
  if (chosen.type === "impossible") return chosen;
  const { reserved, warnings } = chosen;
  const offlined = chooseOfflined(machine, division, reserved);
  return {
    type: "allocated",
    reserved,
    isolated: difference(all, union(reserved, offlined)),
    offlined,
    warnings,
  };
}

/** At least one CPU must be left to isolate. */
function excessOf({ reserved, offlined }: Division, total: number): string | undefined {
  if (total < 2) return `${total} CPUs cannot be divided: at least one is reserved and one is isolated`;
  if (reserved < 1 || reserved >= total)
    return `${reserved} CPUs cannot be reserved: 1 to ${total - 1} of the node's ${total} can be`;
  if (offlined < 0 || offlined >= total - reserved)
    return `${offlined} CPUs cannot be offlined: 0 to ${total - reserved - 1} of the node's ${total} can be, beside ${reserved} reserved ones`;
  return undefined;
}

function firstThreads(topology: CpuTopology): CpuTopology {
  return {
    ...topology,
    numaNodes: topology.numaNodes.map((node) => ({
      ...node,
      cores: node.cores.map((core) => ({ ...core, cpus: core.cpus.slice(0, 1) })),
    })),
  };
}

/**
 * Takes CPUs offline in the order that saves most power: whole sockets, second threads of cores, any others. Never reserved ones.
 */
export function chooseOfflined(
  topology: CpuTopology,
  { offlined: count, keepSockets }: { readonly offlined: number; readonly keepSockets: boolean },
  reserved: CpuSet,
): CpuSet {
  const kept = new Set(reserved);
  const taken = new Set<number>();
  const sockets = socketsOf(topology).map((cores) => cores.flatMap(({ cpus }) => cpus));
  if (!keepSockets)
    for (const cpus of sockets)
      if (cpus.length <= count - taken.size && !cpus.some((cpu) => kept.has(cpu)))
        for (const cpu of cpus) taken.add(cpu);
  const seconds = socketsOf(topology).flatMap((cores) => cores.flatMap(({ cpus }) => cpus.slice(1)));
  for (const cpu of [...seconds, ...sockets.flat()]) if (taken.size < count && !kept.has(cpu)) taken.add(cpu);
  return cpuSet(taken);
}

/** Cores by socket, in the order of their ids. */
function socketsOf(topology: CpuTopology): Core[][] {
  const sockets = new Map<number, Core[]>();
  for (const core of coresOf(topology)) {
    const others = sockets.get(core.socket);
    if (others) others.push(core);
    else sockets.set(core.socket, [core]);
  }
  return [...sockets]
    .toSorted(([a], [b]) => a - b)
    .map(([, cores]) => cores.toSorted((a, b) => a.id - b.id || (a.cpus[0] ?? 0) - (b.cpus[0] ?? 0)));
}

export type ChosenReserved =
  | { readonly type: "chosen"; readonly reserved: CpuSet; readonly warnings: readonly string[] }
  | { readonly type: "impossible"; readonly reason: string };

/** A NUMA node from which cores are reserved. */
interface Source {
  readonly cores: readonly Core[];
  readonly rest: Core[];
}

/**
 * Reserves whole cores with exactly `count` threads together, since threads of a core disturb each other. With `split`, cores
 * come from each NUMA node in turn, so that their numbers differ by one at most.
 */
export function chooseReserved(nodes: readonly NumaNode[], count: number, split: boolean): ChosenReserved {
  const sources = nodes.filter(({ cores }) => cores.length > 0).map(({ cores }) => ({ cores, rest: [...cores] }));
  const reserved: number[] = [];
  for (let open: readonly Source[] = sources; open.length > 0 && reserved.length < count;) {
    const [first, ...others] = open;
    const core = first && nextCore(first.rest, count - reserved.length);
    if (!first || !core) open = others;
    else {
      reserved.push(...core.cpus);
      if (split) open = [...others, first];
    }
  }
  if (reserved.length < count) return { type: "impossible", reason: notWhole(count, reserved.length, sources) };
  const spared = split ? sources.filter(({ cores, rest }) => cores.length === rest.length) : [];
  if (spared.length === 0) return { type: "chosen", reserved: cpuSet(reserved), warnings: [] };
  const least = sum(sources.map(({ cores }) => cores[0]?.cpus.length ?? 0));
  const message = `${count} reserved CPUs cannot be split over ${sources.length} NUMA nodes: ${least} or more can be`;
  // With one thread per core, some NUMA nodes get none: a warning. With several, a split would break cores: impossible.
  return least > sources.length
    ? { type: "impossible", reason: message }
    : { type: "chosen", reserved: cpuSet(reserved), warnings: [message] };
}

/** The first core that fits; cores of one node may have different numbers of threads. */
function nextCore(rest: Core[], room: number): Core | undefined {
  const at = rest.findIndex(({ cpus }) => cpus.length <= room);
  return at < 0 ? undefined : rest.splice(at, 1)[0];
}

function notWhole(count: number, below: number, sources: readonly Source[]): string {
  const threads = Math.min(...sources.flatMap(({ rest }) => rest.map(({ cpus }) => cpus.length)));
  const total = sum(sources.flatMap(({ cores }) => cores.map(({ cpus }) => cpus.length)));
  const fitting = [below, below + threads].filter((one) => one > 0 && one < total);
  const accepted = fitting.length > 0 ? `${fitting.join(" or ")} can be` : "there are too few of them";
  return `${count} CPUs cannot be reserved: only whole cores are, of ${threads} threads each; ${accepted}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
