/** What is derived from a profile is named after it. Others go by these names: users' Tuneds, dashboards, pods. */
export interface DerivedNames {
  readonly machineConfig: string;
  readonly kubeletConfig: string;
  /** The Tuned, and the profile in it that nodes get. */
  readonly tuned: string;
  /** What pods name to get CPUs of their own. */
  readonly runtimeClass: string;
}

export function derivedNames(profile: string): DerivedNames {
  return {
    machineConfig: `50-performance-${profile}`,
    kubeletConfig: `performance-${profile}`,
    tuned: tunedProfileName(profile),
    runtimeClass: `performance-${profile}`,
  };
}

/** Parts that a node picks by its kernel and its processor. */
export const tunedParts = ["rt", "amd-x86", "arm-aarch64", "intel-x86"] as const;
export type TunedPart = (typeof tunedParts)[number];

/** `part` may also be what a node makes the name of a part from. */
export function tunedProfileName(profile: string, part?: string): string {
  return `openshift-node-performance-${part === undefined ? "" : `${part}-`}${profile}`;
}

/** The name of the profile's runtime in the configuration of CRI-O, which the MachineConfig brings. */
export const runtimeHandler = "high-performance";
