import type { MachineConfigPool } from "../machine-config/api.ts";
import type { PartitioningMode } from "../workload-partitioning/partitioning-mode.ts";
import { poolFor } from "./pools.ts";
import type { ProfileFacts } from "./profile-facts.ts";
import type { Surroundings } from "./surroundings.ts";

/** What objects are derived from: the profile, and what it meets in the cluster. */
export interface DerivationInput {
  readonly facts: ProfileFacts;
  /** The pool that the profile is for. Absent: none is known, as on hosted clusters. */
  readonly pool?: MachineConfigPool;
  readonly partitioning: PartitioningMode;
  /** Whether the cluster lets pods mix isolated and shared CPUs. A profile must ask for it as well. */
  readonly mixedCpusAllowed: boolean;
}

export function derivationIn(
  { pools = [], partitioning, mixedCpusAllowed }: Surroundings,
  facts: ProfileFacts,
): DerivationInput {
  const found = poolFor(facts.nodeSelector, pools);
  return { facts, partitioning, mixedCpusAllowed, ...(found.type === "pool" ? { pool: found.pool } : {}) };
}

/** Whether pods really get shared CPUs beside their own. */
export function mixesCpus({ facts, mixedCpusAllowed }: DerivationInput): boolean {
  return mixedCpusAllowed && facts.hints.mixedCpus && (facts.cpus.shared?.cpus.length ?? 0) > 0;
}
