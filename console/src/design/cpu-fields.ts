import type { PerformanceProfile } from "../../../src/domain/performance-profile/api.ts";
import { type CpuSet, formatRanges } from "../../../src/language/cpu/cpu-set.ts";
import { parseCpuset } from "../../../src/language/cpu/kubernetes-cpuset.ts";
import { assign, type ProfileRole, profileRoles, type RoleSets } from "../cpu-map/roles.ts";

/** The sets of CPUs that a profile names. A text that is no cpuset names none: a finding says what is wrong with it. */
export function setsOf({ spec }: PerformanceProfile): RoleSets {
  return Object.fromEntries(profileRoles.map((role) => [role, cpusOf(spec?.cpu?.[role])]));
}

export function cpusOf(text: string | undefined): CpuSet {
  const read = typeof text === "string" ? parseCpuset(text) : undefined;
  return read?.type === "cpus" ? read.cpus : [];
}

/** The profile with CPUs moved to one set, or out of all. Fields that name no CPU are left out. */
export function withAssigned(
  profile: PerformanceProfile,
  cpus: CpuSet,
  role: ProfileRole | undefined,
): PerformanceProfile {
  return withSets(profile, assign(setsOf(profile), cpus, role));
}

export function withSets(profile: PerformanceProfile, sets: RoleSets): PerformanceProfile {
  const cpu = { ...profile.spec?.cpu };
  for (const role of profileRoles) {
    const cpus = sets[role] ?? [];
    // Users must name these two, and a finding says so at their field.
    if (cpus.length > 0 || role === "reserved" || role === "isolated") cpu[role] = formatRanges(cpus);
    else delete cpu[role];
  }
  return { ...profile, spec: { ...profile.spec, cpu } };
}
