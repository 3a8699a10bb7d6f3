import { type CpuSet, cpuSet } from "../../../language/cpu/cpu-set.ts";
import { type Core, coresOf, type CpuTopology } from "../../../language/cpu/cpu-topology.ts";

/**
 * What is switched off saves most in this order: whole sockets, second threads of cores, anything. Never what is reserved.
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
