/** CPUs by number: ascending, each once. */
export type CpuSet = readonly number[];

export function cpuSet(cpus: Iterable<number>): CpuSet {
  return [...new Set(cpus)].sort((a, b) => a - b);
}

export function union(a: CpuSet, b: CpuSet): CpuSet {
  return cpuSet([...a, ...b]);
}

export function intersection(a: CpuSet, b: CpuSet): CpuSet {
  const others = new Set(b);
  return a.filter((cpu) => others.has(cpu));
}

/** What is in `a` but not in `b`. */
export function difference(a: CpuSet, b: CpuSet): CpuSet {
  const others = new Set(b);
  return a.filter((cpu) => !others.has(cpu));
}

export function isSubset(a: CpuSet, b: CpuSet): boolean {
  const others = new Set(b);
  return a.every((cpu) => others.has(cpu));
}

/** `0,1,2,5` */
export function formatUnpacked(cpus: CpuSet): string {
  return cpus.join(",");
}

/** `0-2,5`; two neighbours are a range too. */
export function formatRanges(cpus: CpuSet): string {
  const ranges: string[] = [];
  for (let i = 0; i < cpus.length;) {
    let end = i;
    while (end + 1 < cpus.length && cpus[end + 1] === (cpus[end] ?? 0) + 1) end++;
    ranges.push(end === i ? `${cpus[i]}` : `${cpus[i]}-${cpus[end]}`);
    i = end + 1;
  }
  return ranges.join(",");
}
