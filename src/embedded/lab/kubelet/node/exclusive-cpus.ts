import { type CpuSet, difference, union } from "../../../../language/cpu/cpu-set.ts";

/** CPUs that the static policy of the CPU manager has given to containers. */
export class ExclusiveCpus {
  readonly #assigned = new Map<string, CpuSet>();

  /** Those of all containers. */
  get all(): CpuSet {
    return [...this.#assigned.values()].reduce((all, one) => union(all, one), []);
  }

  /** Whole cores first, of those that no container has; undefined if too few are left. A container keeps what it has. */
  assign(
    container: string,
    count: number,
    { cores, pool }: { cores: readonly CpuSet[]; pool: CpuSet },
  ): CpuSet | undefined {
    const known = this.#assigned.get(container);
    if (known?.length === count) return known;
    const free = new Set(difference(pool, this.all));
    const taken: number[] = [];
    for (const core of cores)
      if (taken.length + core.length <= count && core.every((cpu) => free.has(cpu))) taken.push(...core);
    const rest = [...free].filter((cpu) => !taken.includes(cpu)).toSorted((a, b) => a - b);
    const cpus = [...taken, ...rest.slice(0, count - taken.length)].toSorted((a, b) => a - b);
    if (cpus.length < count) return undefined;
    this.#assigned.set(container, cpus);
    return cpus;
  }

  release(container: string): void {
    this.#assigned.delete(container);
  }
}
