import { dnsSubdomain } from "../../../language/object/names.ts";

export const powerModes = ["default", "low-latency", "ultra-low-latency"] as const;
export type PowerMode = (typeof powerModes)[number];

export const creatorPolicies = ["single-numa-node", "best-effort", "restricted"] as const;
export type CreatorPolicy = (typeof creatorPolicies)[number];

/** The options of a new profile. */
export interface Choices {
  readonly profileName: string;
  readonly reserved: number;
  readonly offlined: number;
  readonly splitAcrossNuma: boolean;
  readonly disableSmt: boolean;
  readonly realTimeKernel: boolean;
  readonly userLevelNetworking: boolean;
  readonly powerMode: PowerMode;
  readonly topologyPolicy: CreatorPolicy;
  readonly perPodPowerManagement: boolean;
  /** The document explains how to limit frequencies. */
  readonly explainHardwareTuning: boolean;
}

/** By name of the flag, as given; `true` for a flag without a value. */
export type Flags = Readonly<Record<string, string | boolean | undefined>>;

export type ReadChoices =
  | { readonly type: "choices"; readonly choices: Choices }
  | { readonly type: "refused"; readonly reasons: readonly string[] };

/** Reports all invalid flags at once. */
export function readChoices(flags: Flags): ReadChoices {
  const reasons: string[] = [];
  const refuse = (flag: string, reason: string): undefined => void reasons.push(`--${flag}: ${reason}`);

  const count = (flag: string): number => {
    const text = String(flags[flag] ?? "0");
    if (!/^[+-]?[0-9]{1,6}$/.test(text)) refuse(flag, `${JSON.stringify(text)} is not a number of CPUs`);
    return Number(text);
  };
  const yes = (flag: string): boolean => {
    const text = String(flags[flag] ?? "false").toLowerCase();
    if (!["1", "t", "true", "0", "f", "false"].includes(text))
      refuse(flag, `${JSON.stringify(flags[flag])} is neither true nor false`);
    return ["1", "t", "true"].includes(text);
  };
  const oneOf = <T extends string>(flag: string, values: readonly T[], otherwise: T): T => {
    const text = String(flags[flag] ?? otherwise);
    const known = values.find((value) => value === text.toLowerCase());
    if (known === undefined) refuse(flag, `${JSON.stringify(text)} is not one of ${values.join(", ")}`);
    return known ?? otherwise;
  };

  for (const flag of ["reserved-cpu-count", "rt-kernel"]) if (flags[flag] === undefined) refuse(flag, "must be given");
  const choices: Choices = {
    profileName: String(flags["profile-name"] ?? "performance"),
    reserved: count("reserved-cpu-count"),
    offlined: count("offlined-cpu-count"),
    splitAcrossNuma: yes("split-reserved-cpus-across-numa"),
    disableSmt: yes("disable-ht"),
    realTimeKernel: yes("rt-kernel"),
    userLevelNetworking: yes("user-level-networking"),
    powerMode: oneOf("power-consumption-mode", powerModes, "default"),
    topologyPolicy: oneOf("topology-manager-policy", creatorPolicies, "restricted"),
    perPodPowerManagement: yes("per-pod-power-management"),
    explainHardwareTuning: yes("enable-hardware-tuning"),
  };
  for (const reason of dnsSubdomain(choices.profileName)) refuse("profile-name", reason);
  if (choices.splitAcrossNuma && choices.topologyPolicy === "single-numa-node")
    refuse(
      "split-reserved-cpus-across-numa",
      "goes with --topology-manager-policy best-effort or restricted, not with single-numa-node",
    );
  if (choices.realTimeKernel && choices.powerMode === "default")
    refuse("rt-kernel", "goes with --power-consumption-mode low-latency or ultra-low-latency, not with default");
  if (choices.perPodPowerManagement && choices.powerMode === "ultra-low-latency")
    refuse(
      "per-pod-power-management",
      "goes with --power-consumption-mode default or low-latency, not with ultra-low-latency",
    );
  return reasons.length > 0 ? { type: "refused", reasons } : { type: "choices", choices };
}
