import { type CpuSet, cpuSet } from "../../../language/cpu/cpu-set.ts";
import type { Core, NumaNode } from "../../../language/cpu/cpu-topology.ts";

export type ChosenReserved =
  | { readonly type: "chosen"; readonly reserved: CpuSet; readonly warnings: readonly string[] }
  | { readonly type: "impossible"; readonly reason: string };

/** A NUMA node that gives cores. */
interface Giver {
  readonly cores: readonly Core[];
  readonly rest: Core[];
}

/**
 * Whole cores with exactly `count` threads together: a thread whose sibling serves the system is no quiet place. Split,
 * each NUMA node gives a core in turn, so that no two differ by more than one.
 */
export function chooseReserved(nodes: readonly NumaNode[], count: number, split: boolean): ChosenReserved {
  const givers = nodes.filter(({ cores }) => cores.length > 0).map(({ cores }) => ({ cores, rest: [...cores] }));
  const reserved: number[] = [];
  for (let open: readonly Giver[] = givers; open.length > 0 && reserved.length < count;) {
    const [first, ...others] = open;
    const core = first && nextCore(first.rest, count - reserved.length);
    if (!first || !core) open = others;
    else {
      reserved.push(...core.cpus);
      if (split) open = [...others, first];
    }
  }
  if (reserved.length < count) return { type: "impossible", reason: notWhole(count, reserved.length, givers) };
  const spared = split ? givers.filter(({ cores, rest }) => cores.length === rest.length) : [];
  if (spared.length === 0) return { type: "chosen", reserved: cpuSet(reserved), warnings: [] };
  const least = sum(givers.map(({ cores }) => cores[0]?.cpus.length ?? 0));
  const message = `${count} reserved CPUs cannot be split over ${givers.length} NUMA nodes: ${least} or more can be`;
  // Single CPUs go as far as they can; where cores have several threads, two on one node are not what was asked for.
  return least > givers.length
    ? { type: "impossible", reason: message }
    : { type: "chosen", reserved: cpuSet(reserved), warnings: [message] };
}

/** The first that is not too large; cores of one machine may differ. */
function nextCore(rest: Core[], room: number): Core | undefined {
  const at = rest.findIndex(({ cpus }) => cpus.length <= room);
  return at < 0 ? undefined : rest.splice(at, 1)[0];
}

function notWhole(count: number, below: number, givers: readonly Giver[]): string {
  const threads = Math.min(...givers.flatMap(({ rest }) => rest.map(({ cpus }) => cpus.length)));
  const total = sum(givers.flatMap(({ cores }) => cores.map(({ cpus }) => cpus.length)));
  const fitting = [below, below + threads].filter((one) => one > 0 && one < total);
  const accepted = fitting.length > 0 ? `${fitting.join(" or ")} can be` : "there are too few of them";
  return `${count} CPUs cannot be reserved: only whole cores are, of ${threads} threads each; ${accepted}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
