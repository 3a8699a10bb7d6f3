import type { MachineConfigPool } from "../machine-config/api.ts";
import type { PartitioningMode } from "../workload-partitioning/identifier.ts";
import { poolFor } from "./pools.ts";
import type { ProfileFacts } from "./profile-facts.ts";
import type { Surroundings } from "./surroundings.ts";

/** What objects are derived from: the profile and the state of the cluster. */
export interface DerivationInput {
  readonly facts: ProfileFacts;
  /** The pool of the profile's nodes. Absent: unknown, as on hosted clusters. */
  readonly pool?: MachineConfigPool | undefined;
  /** False: the cluster has no MachineConfigPools, and the Tuned selects its nodes by their labels. Default true. */
  readonly hasPools?: boolean | undefined;
  readonly partitioning: PartitioningMode;
  /** Whether the cluster allows pods to mix isolated and shared CPUs. The profile must ask for it as well. */
  readonly mixedCpusAllowed: boolean;
}

export function derivationIn(
  { pools, partitioning, mixedCpusAllowed }: Surroundings,
  facts: ProfileFacts,
): DerivationInput {
  const found = poolFor(facts.nodeSelector, pools ?? []);
  const pool = found.type === "pool" ? found.pool : undefined;
  return { facts, partitioning, mixedCpusAllowed, pool, hasPools: pools !== undefined };
}

/** Whether pods get shared CPUs in addition to isolated ones. */
export function mixesCpus({ facts, mixedCpusAllowed }: DerivationInput): boolean {
  return mixedCpusAllowed && facts.hints.mixedCpus && (facts.cpus.shared?.cpus.length ?? 0) > 0;
}
