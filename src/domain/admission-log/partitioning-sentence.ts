import { count } from "../fleet/fleet-summary.ts";
import type { PartitioningStatus } from "../workload-partitioning/identifier.ts";

export interface PartitioningFacts extends Pick<PartitioningStatus, "mode" | "state"> {
  /** Pods that admission put on reserved CPUs. */
  readonly platformPods: number;
}

/** Whether the cluster is partitioned, and what admission did. `refused`: in the last 15 minutes. */
export function partitioningSentence({ mode, platformPods }: PartitioningFacts, refused: number): string {
  const rest = refused === 0 ? "none refused in 15 min" : `${count(refused)} refused in 15 min`;
  if (mode === "None")
    return refused === 0
      ? "Mode None: pods of the platform run on all CPUs"
      : `Mode None: pods of the platform run on all CPUs; ${rest}`;
  const pods = `${count(platformPods)} platform ${platformPods === 1 ? "pod" : "pods"}`;
  return `AllNodes: ${pods} on reserved CPUs; ${rest}`;
}
