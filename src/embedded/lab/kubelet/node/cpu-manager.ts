import {
  type CpuSet,
  cpuSet,
  difference,
  formatRanges,
  intersection,
  isSubset,
  union,
} from "../../../../language/cpu/cpu-set.ts";

export interface CpuManagerInput {
  readonly online: CpuSet;
  /** The CPUs of each core, in order of sockets and cores. */
  readonly cores: readonly CpuSet[];
  /** An empty list: `reservedCount` CPUs, chosen by topology. */
  readonly reserved: CpuSet;
  readonly reservedCount: number;
  /** `strict-cpu-reservation` */
  readonly strict: boolean;
  /** The node is partitioned: CRI-O runs pods of the platform on the reserved CPUs, and no other pod does. */
  readonly partitioned: boolean;
  /** What the kubelet has left in its state file. */
  readonly stored?: { readonly shared: CpuSet; readonly assigned: CpuSet } | undefined;
}

export type CpuManagerStart =
  /** `shared`: the CPUs of containers that have none of their own. */
  | { readonly type: "started"; readonly shared: CpuSet }
  | { readonly type: "failed"; readonly code: CpuManagerFault; readonly message: string };

export type CpuManagerFault =
  | "reserved-count-mismatch"
  | "reserved-not-in-default"
  | "strict-reserved-in-default"
  | "available-cpus-mismatch";

/** The start of the CPU manager's static policy. */
export function startCpuManager(input: CpuManagerInput): CpuManagerStart {
  const { online, strict, partitioned, stored, reservedCount } = input;
  const reserved = input.reserved.length > 0 ? input.reserved : chosenByTopology(input.cores, reservedCount);
  if (reserved.length !== reservedCount)
    return failed("reserved-count-mismatch", `${formatRanges(reserved)} are not ${reservedCount} CPUs`);
  const isApart = strict || partitioned;
  const offered = isApart ? difference(online, reserved) : online;
  if (!stored) return { type: "started", shared: offered };
  const { shared } = stored;
  if (!isApart && !isSubset(reserved, shared))
    return failed(
      "reserved-not-in-default",
      `reserved CPUs ${formatRanges(reserved)} are not in ${formatRanges(shared)}`,
    );
  if (strict && intersection(reserved, shared).length > 0)
    return failed(
      "strict-reserved-in-default",
      `reserved CPUs ${formatRanges(reserved)} are in ${formatRanges(shared)}`,
    );
  const known = formatRanges(union(shared, stored.assigned));
  if (known !== formatRanges(offered))
    return failed(
      "available-cpus-mismatch",
      `the state has CPUs ${known}, the machine offers ${formatRanges(offered)}`,
    );
  return { type: "started", shared };
}

/** Whole cores first, as the kubelet takes them. */
function chosenByTopology(cores: readonly CpuSet[], count: number): CpuSet {
  const taken: number[] = [];
  for (const core of cores) if (taken.length + core.length <= count) taken.push(...core);
  const rest = difference(cpuSet(cores.flat()), cpuSet(taken));
  return cpuSet([...taken, ...rest.slice(0, Math.max(0, count - taken.length))]);
}

function failed(code: CpuManagerFault, message: string): CpuManagerStart {
  return { type: "failed", code, message };
}
