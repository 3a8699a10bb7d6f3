import type { KubeObject } from "../../../language/object/meta.ts";
import { type Derivation, derive } from "../../../domain/performance-profile/derive.ts";
import { type FieldFinding, formatFinding } from "../../../domain/finding.ts";
import { findings } from "../../../domain/performance-profile/findings.ts";
import { poolAmbiguous, poolNotFound } from "../../../domain/performance-profile/findings/machine-config-pool.ts";
import { noNodes } from "../../../domain/performance-profile/findings/pool-nodes.ts";
import { type Surroundings, surroundingsOf } from "../../../domain/performance-profile/surroundings.ts";
import { poolFor } from "../../../domain/performance-profile/pools.ts";
import { readFacts } from "../../../domain/performance-profile/read-facts.ts";
import type { Asset } from "./asset.ts";
import type { FutureCluster } from "./future-cluster.ts";
import type { SortedAssets } from "./sort-assets.ts";

/** What comes of a profile of a file. Lines begin with its place. */
export type DerivedProfile =
  | {
      readonly type: "derived";
      readonly derived: Extract<Derivation, { type: "derived" }>;
      readonly warnings: readonly string[];
    }
  | { readonly type: "refused"; readonly problems: readonly string[]; readonly warnings: readonly string[] };

/**
 * Only what makes it impossible to derive anything is a problem: bootstrapping goes on in spite of other findings, which
 * are for the author to think about.
 */
export function deriveProfile({ place, object }: Asset, assets: SortedAssets, cluster: FutureCluster): DerivedProfile {
  const lines = (found: readonly FieldFinding[]): string[] =>
    found.map((finding) => `${place}: PerformanceProfile ${object.metadata.name}: ${formatFinding(finding)}`);
  const refused = (found: readonly FieldFinding[]): DerivedProfile => {
    const told = new Set(lines(found));
    return { type: "refused", problems: [...told], warnings: warnings.filter((line) => !told.has(line)) };
  };

  const read = readFacts(object);
  const judged = findings(object, surroundings(object, assets, cluster)).filter(({ name }) => name !== noNodes.name);
  const warnings = lines(judged);
  if (read.type === "unusable") return refused(read.findings);
  const { pools, partitioning, mixedCpusAllowed } = cluster;
  const found = poolFor(read.facts.nodeSelector, pools);
  if (found.type !== "pool")
    return refused(judged.filter(({ name }) => name === poolNotFound.name || name === poolAmbiguous.name));
  const derived = derive({ facts: read.facts, pool: found.pool, partitioning, mixedCpusAllowed });
  return derived.type === "refused" ? refused(derived.findings) : { type: "derived", derived, warnings };
}

function surroundings(profile: KubeObject, assets: SortedAssets, cluster: FutureCluster): Surroundings {
  const { profiles, machineConfigs } = assets;
  const performanceProfiles = profiles.map(({ object }) => object);
  const { pools, ...settled } = cluster;
  return { ...surroundingsOf(profile, { nodes: [], performanceProfiles, pools, machineConfigs }), ...settled };
}
