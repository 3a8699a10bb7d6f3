import { formatRanges, intersection } from "../../../language/cpu/cpu-set.ts";
import { coresOf } from "../../../language/cpu/cpu-topology.ts";
import { advice, type Check } from "./check.ts";
import type { JudgedPool, Surrounded } from "./judged.ts";
import { laterThreads } from "./layouts.ts";
import { namely } from "./naming.ts";

/** Threads of a core share its execution units and caches, so they delay each other. */
export const coreIsSplit: Check<Surrounded> = {
  name: "CoreIsSplit",
  severity: "warning",
  faults: ({ pools, nosmt, layouts }) => {
    if (nosmt) return [];
    const poolOf = new Map(inUse(pools).flatMap((pool) => pool.cpus.map((cpu) => [cpu, pool] as const)));
    return layouts.flatMap(({ topology, nodes }) => {
      const split = new Map<string, { pools: JudgedPool[]; cores: string[] }>();
      for (const { cpus } of coresOf(topology)) {
        const owners = [...new Set(cpus.flatMap((cpu) => poolOf.get(cpu) ?? []))];
        if (owners.length < 2) continue;
        const between = owners.map(({ name }) => name).join(" and ");
        const found = split.get(between);
        if (found) found.cores.push(formatRanges(cpus));
        else split.set(between, { pools: owners, cores: [formatRanges(cpus)] });
      }
      return [...split].map(([between, { pools: owners, cores }]) =>
        advice(
          owners.at(-1)?.field ?? "spec.cpu",
          `threads of one core are in ${between}: keep ${cores.length === 1 ? "" : "each of "}${namely(cores)} together (on ${namely(nodes)})`,
        ),
      );
    });
  },
};

export const cpuOffWithNosmt: Check<Surrounded> = {
  name: "CpuOffWithNosmt",
  severity: "warning",
  faults: ({ pools, nosmt, layouts }) => {
    if (!nosmt) return [];
    return layouts.flatMap(({ topology, nodes }) => {
      const off = laterThreads(topology);
      return inUse(pools).flatMap(({ field, cpus }) => {
        const wrong = intersection(cpus, off);
        if (wrong.length === 0) return [];
        return [
          advice(
            field,
            `CPU ${formatRanges(wrong)} of ${namely(nodes)} will be off, because additionalKernelArgs has nosmt: leave it out`,
          ),
        ];
      });
    });
  },
};

/** Some authors take one thread of each core offline on purpose. */
function inUse(pools: readonly JudgedPool[]): readonly JudgedPool[] {
  return pools.filter(({ name }) => name !== "offlined");
}
