import { type CpuSet, difference, union } from "../../../language/cpu/cpu-set.ts";
import { type CpuTopology, onlineCpus } from "../../../language/cpu/cpu-topology.ts";
import { chooseOfflined } from "./choose-offlined.ts";
import { chooseReserved } from "./choose-reserved.ts";

/** How the CPUs of a machine are to be divided. */
export interface Division {
  readonly reserved: number;
  readonly offlined: number;
  /** Reserved CPUs come from all NUMA nodes alike, not from the first ones. */
  readonly split: boolean;
  /** The machine will start with one thread a core. */
  readonly disableSmt: boolean;
  /** No socket is emptied, however many CPUs are switched off: latency is worth the power. */
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

/** Divides a machine's CPUs: each is in exactly one set, except threads that the machine will start without. */
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

/** Something must be left to isolate. */
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
