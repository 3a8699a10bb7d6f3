import type { FieldFinding } from "../../../src/domain/finding.ts";
import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { type CpuSet, cpuSet, difference, intersection } from "../../../src/language/cpu/cpu-set.ts";
import { coresOf, type CpuTopology, onlineCpus } from "../../../src/language/cpu/cpu-topology.ts";
import { profileRoles, roleOfCpus, type RoleSets } from "../cpu-map/roles.ts";
import { setsOf, withAssigned, withSets } from "./cpu-fields.ts";

export interface About {
  readonly profile: PerformanceProfile;
  readonly topology: CpuTopology | undefined;
}

/** The CPUs that a finding is about, to mark them on the map. */
export function cpusOfFinding({ name }: FieldFinding, { profile, topology }: About): CpuSet {
  const sets = setsOf(profile);
  switch (name) {
    case "CoreIsSplit":
      return topology ? cpuSet(splitCores(topology, sets).flat()) : [];
    case "CpuPoolsOverlap":
      return overlap(sets);
    case "CpuInNoPool":
      return topology ? difference(onlineCpus(topology), cpuSet(profileRoles.flatMap((role) => sets[role] ?? []))) : [];
    case "CpuZeroIsolated":
    case "CpuZeroOfflined":
      return [0];
    default:
      return [];
  }
}

/** The profile without the finding, where there is one right answer; otherwise undefined. */
export function fixOf({ name }: FieldFinding, { profile, topology }: About): PerformanceProfile | undefined {
  const sets = setsOf(profile);
  switch (name) {
    case "CoreIsSplit": {
      if (!topology) return undefined;
      // The system keeps what it was given, and gets the sibling: a workload next to it would be delayed.
      return splitCores(topology, sets).reduce((fixed, cpus) => {
        const owners = roleOfCpus(sets);
        const role = cpus.some((cpu) => owners.get(cpu) === "reserved") ? "reserved" : owners.get(cpus[0] ?? -1);
        return withAssigned(fixed, cpus, role === "scylla" ? undefined : role);
      }, profile);
    }
    case "CpuPoolsOverlap":
      return withSets(profile, withoutOverlap(sets));
    case "CpuZeroIsolated":
    case "CpuZeroOfflined":
      return withAssigned(profile, siblingsOf(0, topology), "reserved");
    default:
      return undefined;
  }
}

/** Cores whose threads are in different sets. Of those that are off it does not matter. */
function splitCores(topology: CpuTopology, sets: RoleSets): CpuSet[] {
  const owners = roleOfCpus({ ...sets, offlined: [] });
  return coresOf(topology)
    .map(({ cpus }) => cpus.filter((cpu) => owners.has(cpu)))
    .filter((cpus) => new Set(cpus.map((cpu) => owners.get(cpu))).size > 1);
}

function overlap(sets: RoleSets): CpuSet {
  return cpuSet(
    profileRoles.flatMap((role, i) =>
      profileRoles.slice(i + 1).flatMap((other) => intersection(sets[role] ?? [], sets[other] ?? [])),
    ),
  );
}

/** Each CPU stays in the first of its sets: what is reserved stays with the system. */
function withoutOverlap(sets: RoleSets): RoleSets {
  const taken = new Set<number>();
  return Object.fromEntries(
    profileRoles.map((role) => {
      const kept = (sets[role] ?? []).filter((cpu) => !taken.has(cpu));
      for (const cpu of kept) taken.add(cpu);
      return [role, kept];
    }),
  );
}

function siblingsOf(cpu: number, topology: CpuTopology | undefined): CpuSet {
  const core = topology && coresOf(topology).find(({ cpus }) => cpus.includes(cpu));
  return core?.cpus ?? [cpu];
}
