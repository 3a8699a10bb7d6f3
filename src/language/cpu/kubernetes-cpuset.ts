import { mostCpus } from "./cpu-mask.ts";
import type { CpuSet } from "./cpu-set.ts";

export type Cpuset =
  | { readonly type: "cpus"; readonly cpus: CpuSet }
  /** `item` is the invalid part. */
  | { readonly type: "malformed"; readonly item: string }
  | { readonly type: "too-large"; readonly item: string };

/**
 * Lists of CPUs as Kubernetes reads them: `0-3,8`. Stricter than TuneD's: no blanks, no empty parts, no reversed ranges. An
 * empty text is the empty set.
 */
export function parseCpuset(text: string): Cpuset {
  if (text === "") return { type: "cpus", cpus: [] };
  const ranges: [from: number, to: number][] = [];
  for (const item of text.split(",")) {
    const match = /^\+?([0-9]+)(?:-\+?([0-9]+))?$/.exec(item);
    if (!match) return { type: "malformed", item };
    const from = Number(match[1]);
    const to = match[2] === undefined ? from : Number(match[2]);
    if (to < from) return { type: "malformed", item };
    if (to >= mostCpus) return { type: "too-large", item };
    ranges.push([from, to]);
  }
  return { type: "cpus", cpus: spread(ranges) };
}

/** Each CPU once, also if ranges overlap. */
function spread(ranges: [from: number, to: number][]): CpuSet {
  const cpus: number[] = [];
  let next = 0;
  for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
    for (let cpu = Math.max(from, next); cpu <= to; cpu++) cpus.push(cpu);
    next = Math.max(next, to + 1);
  }
  return cpus;
}
