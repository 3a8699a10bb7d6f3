import { formatRanges, intersection } from "../../../language/cpu/cpu-set.ts";
import { forbidden } from "../../../language/schema/field-error.ts";
import { advice, type Check } from "./check.ts";
import type { Judged, JudgedPool } from "./judged.ts";
import { child } from "../../../language/schema/path.ts";

export const cpuPoolsOverlap: Check = {
  name: "CpuPoolsOverlap",
  severity: "error",
  faults: ({ pools }) =>
    pools.flatMap((pool, position) =>
      pools.slice(0, position).flatMap((other) => {
        const both = intersection(pool.cpus, other.cpus);
        if (both.length === 0) return [];
        return [forbidden(pool.field, `${cpus(both)} in ${other.name} as well: every CPU belongs to one pool`)];
      }),
    ),
};

/** On most machines CPU 0 cannot be taken offline, and the unit then takes none of the CPUs offline. */
export const cpuZeroOfflined: Check = {
  name: "CpuZeroOfflined",
  severity: "warning",
  faults: ({ pools }) =>
    poolWithCpuZero(pools, "offlined").map(({ field }) =>
      advice(field, "CPU 0 cannot be taken offline on most machines: keep it online and reserve it"),
    ),
};

/** The kernel boots on CPU 0, keeps time there, and sends it interrupts that have no other target. */
export const cpuZeroIsolated: Check = {
  name: "CpuZeroIsolated",
  severity: "warning",
  faults: ({ pools }) =>
    [...poolWithCpuZero(pools, "isolated"), ...poolWithCpuZero(pools, "ovsDpdk")].map(({ field }) =>
      advice(field, "CPU 0 runs work of the kernel and cannot be isolated: move it to reserved"),
    ),
};

/** Without the hint, ordinary pods may get these CPUs exclusively. */
export const sharedCpusUnused: Check = {
  name: "SharedCpusUnused",
  severity: "warning",
  faults: ({ spec, pools }) =>
    spec.workloadHints?.mixedCpus
      ? []
      : pools
          .filter(({ name, cpus }) => name === "shared" && cpus.length > 0)
          .map(({ field }) =>
            advice(field, "has no effect without workloadHints.mixedCpus: set it, or move these CPUs to another pool"),
          ),
};

function poolWithCpuZero(pools: Judged["pools"], name: JudgedPool["name"]): readonly JudgedPool[] {
  return pools.filter((pool) => pool.name === name && pool.cpus[0] === 0);
}

function cpus(set: readonly number[]): string {
  return set.length === 1 ? `CPU ${set[0]} is` : `CPUs ${formatRanges(set)} are`;
}

/** No processor that runs Kubernetes is slower than 100 MHz or faster than 10 GHz. */
const slowest = 100_000;
const fastest = 10_000_000;

export const frequencyUnlikely: Check = {
  name: "FrequencyUnlikely",
  severity: "warning",
  faults: ({ spec }) =>
    Object.entries(spec.hardwareTuning ?? {}).flatMap(([name, kiloHertz]) =>
      typeof kiloHertz !== "number" || kiloHertz <= 0 || (kiloHertz >= slowest && kiloHertz <= fastest)
        ? []
        : [advice(child("spec.hardwareTuning", name), `is ${kiloHertz / 1000} MHz: write the frequency in kHz`)],
    ),
};
