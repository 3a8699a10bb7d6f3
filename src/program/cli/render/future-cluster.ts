import type { MachineConfigPool } from "../../machine-config/api.ts";
import { mixedCpusAllowed } from "../../performance-profile/mixed-cpus-allowed.ts";
import { defaultPools } from "../../performance-profile/pools.ts";
import { installPartitioning } from "../../workload-partitioning/install-partitioning.ts";
import type { PartitioningMode } from "../../workload-partitioning/partitioning-mode.ts";
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
