import type { KubeObject } from "../../language/object/meta.ts";

/** Names of derived objects. They are stable: Tuneds of users, dashboards and pods refer to them. */
export interface DerivedNames {
  readonly machineConfig: string;
  readonly kubeletConfig: string;
  /** The Tuned, and the TuneD profile in it that nodes get. */
  readonly tuned: string;
  /** The class that pods name to get exclusive CPUs. */
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

/** Whether a MachineConfig has the name of one that is derived from a profile. */
export function isDerived({ metadata }: KubeObject): boolean {
  return metadata.name?.startsWith(derivedNames("").machineConfig) ?? false;
}

/** Parts of the TuneD profile that a node includes depending on its kernel and processor. */
export const tunedParts = ["rt", "amd-x86", "arm-aarch64", "intel-x86"] as const;
export type TunedPart = (typeof tunedParts)[number];

/** `part` may also be an expression that a node expands to the name of a part. */
export function tunedProfileName(profile: string, part?: string): string {
  return `openshift-node-performance-${part === undefined ? "" : `${part}-`}${profile}`;
}

/** The profile from which the TuneD profile of a node is derived. Undefined: another one. */
export function profileOfTuned(tuned: string): string | undefined {
  const prefix = tunedProfileName("");
  return tuned.startsWith(prefix) ? tuned.slice(prefix.length) : undefined;
}

/** The name of the profile's runtime in the configuration of CRI-O, which the MachineConfig brings. */
export const runtimeHandler = "high-performance";
