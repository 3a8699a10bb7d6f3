import { type CpuSet, difference, union } from "../../../src/language/cpu/cpu-set.ts";

/** What a CPU is for. */
export interface Role {
  readonly title: string;
  /** Says it where colours are not shown. */
  readonly letter: string;
  /** Assigns it. Absent: no profile can. */
  readonly key?: string;
  /** The field of a PerformanceProfile that says so. */
  readonly field?: string;
}

export const roles = {
  reserved: { title: "Reserved", letter: "R", key: "r", field: "spec.cpu.reserved" },
  isolated: { title: "Isolated", letter: "I", key: "i", field: "spec.cpu.isolated" },
  shared: { title: "Shared", letter: "S", key: "s", field: "spec.cpu.shared" },
  ovsDpdk: { title: "OVS-DPDK", letter: "D", key: "d", field: "spec.cpu.ovsDpdk" },
  scylla: { title: "Scylla", letter: "Y" },
  offlined: { title: "Offlined", letter: "O", key: "o", field: "spec.cpu.offlined" },
} as const satisfies Record<string, Role>;

export type RoleName = keyof typeof roles;

export const roleNames = Object.keys(roles) as RoleName[];

/** The roles that a PerformanceProfile gives. */
export type ProfileRole = Exclude<RoleName, "scylla">;

export const profileRoles = roleNames.filter((name): name is ProfileRole => "field" in roles[name]);

/** CPUs by what they are for. A CPU may be in several sets by mistake. */
export type RoleSets = Readonly<Partial<Record<RoleName, CpuSet>>>;

/** The role of each CPU. In several sets the later role wins: what is off or shared is the exception, and meant. */
export function roleOfCpus(sets: RoleSets): ReadonlyMap<number, RoleName> {
  return new Map(roleNames.flatMap((role) => (sets[role] ?? []).map((cpu) => [cpu, role] as const)));
}

/** CPUs leave their sets and join another one, or none. */
export function assign(sets: RoleSets, cpus: CpuSet, role: ProfileRole | undefined): RoleSets {
  const next: Partial<Record<RoleName, CpuSet>> = { ...sets };
  for (const name of profileRoles) {
    const kept = difference(sets[name] ?? [], cpus);
    if (name === role) next[name] = union(kept, cpus);
    else if (sets[name]) next[name] = kept;
  }
  return next;
}
