import { covers, type CpuRange, cpuRanges } from "./cpu-ranges.ts";
import { formatRanges } from "./cpu-set.ts";
import type { Core } from "./cpu-topology.ts";
import type { FileSource } from "./load-topology.ts";
import { cpuFolder } from "./read-topology.ts";

/** A cache that several cores share. */
export interface CacheText {
  level: number;
  /** `32768Ki` */
  size: string;
  /** Its online CPUs, as a cpuset. */
  cpus: string;
}

/** One of them for each shared cache of data, larger caches first. Caches of one core alone are left out: they are hundreds. */
export async function loadCaches(source: FileSource, cores: readonly Core[]): Promise<CacheText[]> {
  const found: (CacheText & { readonly shared: readonly CpuRange[] })[] = [];
  for (const { cpus } of cores) {
    const [cpu = 0] = cpus;
    const folder = `${cpuFolder}/cpu${cpu}/cache`;
    for (const index of await source.list(folder)) {
      if (!/^index[0-9]+$/.test(index)) continue;
      const read = async (name: string): Promise<string> =>
        (await source.read(`${folder}/${index}/${name}`))?.trim() ?? "";
      const shared = cpuRanges(await read("shared_cpu_list"));
      // Threads of its own core only: most caches are such.
      if (cores.every((other) => other.cpus === cpus || !other.cpus.some((one) => covers(shared, one)))) continue;
      const level = Number(await read("level"));
      const size = /^([0-9]{1,12})K$/.exec(await read("size"))?.[1];
      if (!Number.isInteger(level) || size === undefined || (await read("type")) === "Instruction") continue;
      if (found.some((one) => one.level === level && covers(one.shared, cpu))) continue;
      const own = cores.flatMap((core) => core.cpus).filter((one) => covers(shared, one));
      found.push({ level, size: `${size}Ki`, cpus: formatRanges(own.toSorted((a, b) => a - b)), shared });
    }
  }
  return found.map(({ shared: _, ...cache }) => cache).toSorted((a, b) => b.level - a.level);
}
