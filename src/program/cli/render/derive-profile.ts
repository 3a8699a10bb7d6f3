import type { MachineConfigPool } from "../../../domain/machine-config/api.ts";
import { mixedCpusAllowed } from "../../../domain/performance-profile/mixed-cpus-allowed.ts";
import { defaultPools, poolFor } from "../../../domain/performance-profile/pools.ts";
import type { PartitioningMode } from "../../../domain/workload-partitioning/identifier.ts";
import { installPartitioning } from "../../../domain/workload-partitioning/install-partitioning.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type Derivation, derive } from "../../../domain/performance-profile/derive.ts";
import { type FieldFinding, formatFinding } from "../../../domain/finding.ts";
import { findings } from "../../../domain/performance-profile/findings.ts";
import { poolAmbiguous, poolNotFound } from "../../../domain/performance-profile/findings/machine-config-pool.ts";
import { noNodes } from "../../../domain/performance-profile/findings/pool-nodes.ts";
import { type Surroundings, surroundingsOf } from "../../../domain/performance-profile/surroundings.ts";
import { readFacts } from "../../../domain/performance-profile/read-facts.ts";
import type { Asset } from "./read-assets.ts";
import type { SortedAssets } from "./sort-assets.ts";

/** What is known of a cluster that is being installed. It has no nodes yet. */
export interface FutureCluster {
  /** It has no MachineConfigPools: the nodes of a profile need none. */
  readonly isPlain: boolean;
  /** The default pools come first. */
  readonly pools: readonly MachineConfigPool[];
  readonly partitioning: PartitioningMode;
  readonly mixedCpusAllowed: boolean;
}

export function futureCluster(assets: SortedAssets, isPlain = false): FutureCluster {
  return {
    isPlain,
    pools: isPlain ? [] : [...defaultPools(assets.pools), ...assets.pools],
    partitioning: installPartitioning(assets),
    mixedCpusAllowed: mixedCpusAllowed(assets.featureGate),
  };
}

/** The objects derived from a profile, or the problems that prevent it. Lines begin with its place. */
export type DerivedProfile =
  | {
      readonly type: "derived";
      readonly derived: Extract<Derivation, { type: "derived" }>;
      readonly warnings: readonly string[];
    }
  | { readonly type: "refused"; readonly problems: readonly string[]; readonly warnings: readonly string[] };

/** A finding is a problem only if no objects can be derived: it must not stop the installation of a cluster otherwise. */
export function deriveProfile({ place, object }: Asset, assets: SortedAssets, cluster: FutureCluster): DerivedProfile {
  const lines = (found: readonly FieldFinding[]): string[] =>
    found.map((finding) => `${place}: PerformanceProfile ${object.metadata.name}: ${formatFinding(finding)}`);
  const refused = (found: readonly FieldFinding[]): DerivedProfile => {
    const reported = new Set(lines(found));
    return { type: "refused", problems: [...reported], warnings: warnings.filter((line) => !reported.has(line)) };
  };

  const read = readFacts(object);
  const judged = findings(object, surroundings(object, assets, cluster)).filter(({ name }) => name !== noNodes.name);
  const warnings = lines(judged);
  if (read.type === "unusable") return refused(read.findings);
  const { isPlain, pools, partitioning, mixedCpusAllowed } = cluster;
  const found = poolFor(read.facts.nodeSelector, pools);
  if (found.type !== "pool" && !isPlain)
    return refused(judged.filter(({ name }) => name === poolNotFound.name || name === poolAmbiguous.name));
  const pool = found.type === "pool" ? found.pool : undefined;
  const derived = derive({ facts: read.facts, pool, hasPools: !isPlain, partitioning, mixedCpusAllowed });
  return derived.type === "refused" ? refused(derived.findings) : { type: "derived", derived, warnings };
}

function surroundings(profile: KubeObject, assets: SortedAssets, cluster: FutureCluster): Surroundings {
  const { profiles, machineConfigs } = assets;
  const performanceProfiles = profiles.map(({ object }) => object);
  const { isPlain, pools, partitioning, mixedCpusAllowed } = cluster;
  const objects = { nodes: [], performanceProfiles, machineConfigs, ...(isPlain ? {} : { pools }) };
  return { ...surroundingsOf(profile, objects), partitioning, mixedCpusAllowed };
}
