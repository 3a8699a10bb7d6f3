import type { MachineConfigPool } from "../machine-config/api.ts";
import type { PartitioningMode } from "../workload-partitioning/partitioning-mode.ts";
import type { ProfileFacts } from "./profile-facts.ts";

/** What objects are derived from: the profile, and what it meets in the cluster. */
export interface DerivationInput {
  readonly facts: ProfileFacts;
  /** The pool that the profile is for. Absent: none is known, as on hosted clusters. */
  readonly pool?: MachineConfigPool;
  readonly partitioning: PartitioningMode;
  /** Whether the cluster lets pods mix isolated and shared CPUs. A profile must ask for it as well. */
  readonly mixedCpusAllowed: boolean;
}

/** Whether pods really get shared CPUs beside their own. */
export function mixesCpus({ facts, mixedCpusAllowed }: DerivationInput): boolean {
  return mixedCpusAllowed && facts.hints.mixedCpus && (facts.cpus.shared?.cpus.length ?? 0) > 0;
}
