/** First and last, both included. */
export type CpuRange = readonly [first: number, last: number];

/**
 * The kernel's lists, `0,4-7`, as sorted ranges. Not expanded to CPUs: a short text can name more than any machine has.
 * Empty for an invalid list.
 */
export function cpuRanges(text: string | undefined): readonly CpuRange[] {
  const list = text?.trim() ?? "";
  if (list === "") return [];
  const ranges: CpuRange[] = [];
  for (const item of list.split(",")) {
    const match = /^([0-9]{1,9})(?:-([0-9]{1,9}))?$/.exec(item);
    const first = Number(match?.[1]);
    const last = Number(match?.[2] ?? match?.[1]);
    if (!(first <= last)) return [];
    ranges.push([first, last]);
  }
  return merged(ranges.sort(([a], [b]) => a - b));
}

function merged(ranges: readonly CpuRange[]): CpuRange[] {
  const apart: CpuRange[] = [];
  for (const [first, last] of ranges) {
    const before = apart.at(-1);
    if (before && first <= before[1] + 1) apart[apart.length - 1] = [before[0], Math.max(before[1], last)];
    else apart.push([first, last]);
  }
  return apart;
}

export function covers(ranges: readonly CpuRange[], cpu: number): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.[1] ?? 0) < cpu) low = middle + 1;
    else high = middle;
  }
  return (ranges[low]?.[0] ?? Infinity) <= cpu;
}
