import { type CpuSet, cpuSet, difference, formatRanges } from "../../../language/cpu/cpu-set.ts";
import { invalid } from "../../../language/schema/field-error.ts";
import type { PoolNode } from "../pool-node.ts";
import { advice, type Check } from "./check.ts";
import type { JudgedPool, Surrounded } from "./judged.ts";
import { laterThreads } from "./layouts.ts";
import { alike, has, namely } from "./naming.ts";

export const cpuDoesNotExist: Check<Surrounded> = {
  name: "CpuDoesNotExist",
  severity: "error",
  faults: ({ pools, layouts }) =>
    layouts.flatMap(({ nodes, present }) =>
      pools.flatMap(({ field, text, cpus }) => {
        const missing = difference(cpus, present);
        if (missing.length === 0) return [];
        return [invalid(field, text, `${has(nodes)} no CPU ${formatRanges(missing)}, only ${formatRanges(present)}`)];
      }),
    ),
};

/** If only the number of CPUs is known, a gap in the numbering cannot be told from a mistake: a warning. */
export const cpusExceedCount: Check<Surrounded> = {
  name: "CpusExceedCount",
  severity: "warning",
  faults: ({ pools, nosmt, surroundings }) => {
    const used = cpusOf(pools.filter(({ name }) => name !== "offlined"));
    const highest = used.at(-1) ?? 0;
    const offlined = cpusOf(pools).length - used.length;
    return counted(surroundings.nodes).flatMap(([count, nodes]) => {
      // The kubelet reports CPUs until they are offline.
      const isTooHigh = !nosmt && highest >= count + offlined;
      if (used.length <= count && !isTooHigh) return [];
      return [
        advice(
          "spec.cpu",
          `pools have ${used.length} CPUs up to CPU ${highest}, but ${has(nodes)} ${count}: take the others out`,
        ),
      ];
    });
  },
};

export const cpuInNoPool: Check<Surrounded> = {
  name: "CpuInNoPool",
  severity: "warning",
  faults: ({ pools, nosmt, layouts, surroundings }) => {
    const all = cpusOf(pools);
    const known = layouts.flatMap(({ topology, nodes, online }) => {
      const left = difference(nosmt ? difference(online, laterThreads(topology)) : online, all);
      if (left.length === 0) return [];
      return [advice("spec.cpu", `CPU ${formatRanges(left)} of ${namely(nodes)} is in no pool: add it to one`)];
    });
    const guessed = counted(surroundings.nodes).flatMap(([count, nodes]) =>
      count > all.length
        ? [advice("spec.cpu", `pools have ${all.length} CPUs, but ${has(nodes)} ${count}: add the others to a pool`)]
        : [],
    );
    return [...known, ...guessed];
  },
};

function cpusOf(pools: readonly JudgedPool[]): CpuSet {
  return cpuSet(pools.flatMap(({ cpus }) => [...cpus]));
}

/** Nodes by number of CPUs, if only that is known of them. */
function counted(nodes: readonly PoolNode[]): [number, readonly string[]][] {
  const known = nodes.flatMap(({ name, cpus, topology }) => (topology || cpus === undefined ? [] : [{ name, cpus }]));
  return alike(
    known,
    ({ name }) => name,
    ({ cpus }) => `${cpus}`,
  ).map(([count, names]) => [Number(count), names]);
}
