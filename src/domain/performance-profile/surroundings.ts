import type { MachineConfigPool } from "../machine-config/api.ts";
import type { PartitioningMode } from "../workload-partitioning/partitioning-mode.ts";
import type { PoolNode } from "./pool-node.ts";

/** What a profile meets in a cluster. */
export interface Surroundings {
  /** Those that its node selector selects. */
  readonly nodes: readonly PoolNode[];
  readonly otherProfiles: readonly OtherProfile[];
  /** Absent: the cluster has no such kind. */
  readonly pools?: readonly MachineConfigPool[] | undefined;
  readonly partitioning: PartitioningMode;
  readonly mixedCpusAllowed: boolean;
  /** Files of others' MachineConfigs for these nodes that bring a CRI-O workloads table. */
  readonly foreignWorkloads: readonly ForeignWorkloads[];
}

export interface OtherProfile {
  readonly name: string;
  readonly nodeSelector: Readonly<Record<string, string>>;
}

export interface ForeignWorkloads {
  readonly machineConfig: string;
  readonly path: string;
}
