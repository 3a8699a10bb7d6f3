import type { MachineConfigPool } from "../../../domain/machine-config/api.ts";
import { mixedCpusAllowed } from "../../../domain/performance-profile/mixed-cpus-allowed.ts";
import { defaultPools } from "../../../domain/performance-profile/pools.ts";
import { installPartitioning, type PartitioningMode } from "../../../domain/workload-partitioning/partitioning-mode.ts";
import type { SortedAssets } from "./sort-assets.ts";

/** What profiles will meet in the cluster that is being installed. It has no nodes yet. */
export interface FutureCluster {
  /** Those that every cluster has come first. */
  readonly pools: readonly MachineConfigPool[];
  readonly partitioning: PartitioningMode;
  readonly mixedCpusAllowed: boolean;
}

export function futureCluster(assets: SortedAssets): FutureCluster {
  return {
    pools: [...defaultPools(assets.pools), ...assets.pools],
    partitioning: installPartitioning(assets),
    mixedCpusAllowed: mixedCpusAllowed(assets.featureGate),
  };
}
