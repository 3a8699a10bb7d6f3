import {
  apiVersion as machineConfigApi,
  type MachineConfig,
  type MachineConfigPool,
} from "../../machine-config/api.ts";
import { apiVersion as tunedApi, type Tuned } from "../../node-tuning/api.ts";
import { get } from "../../object/json.ts";
import { type KubeObject, parseApiVersion } from "../../object/meta.ts";
import { dnsSubdomain } from "../../object/names.ts";
import { apiVersion as profileApi, group as profileGroup } from "../../performance-profile/api.ts";
import { convertProfile } from "../../performance-profile/conversion.ts";
import { schemas } from "../../performance-profile/schemas.ts";
import type { Asset } from "./asset.ts";

/** What takes part, of all that lies there. */
export interface SortedAssets {
  /** All of the newest version. */
  readonly profiles: readonly Asset[];
  readonly pools: readonly MachineConfigPool[];
  readonly machineConfigs: readonly MachineConfig[];
  readonly tuneds: readonly Tuned[];
  readonly infrastructure?: KubeObject;
  readonly featureGate?: KubeObject;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

const configApi = "config.openshift.io/v1";

/** Picks what is known by its kind. Of objects with the same name the last counts, as if all were applied in turn. */
export function sortAssets(assets: readonly Asset[]): SortedAssets {
  const profiles = new Map<string, Asset>();
  const others = new Map<string, Map<string, KubeObject>>();
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const { place, object } of assets) {
    const { apiVersion, kind } = object;
    const isProfile = kind === "PerformanceProfile" && parseApiVersion(apiVersion).group === profileGroup;
    const key = `${apiVersion} ${kind}`;
    if (!isProfile && !known.includes(key)) continue;
    const name: unknown = get(get(object, "metadata"), "name");
    const faults = typeof name === "string" && name !== "" ? dnsSubdomain(name) : ["Required value"];
    problems.push(...faults.map((fault) => `${place}: ${kind}: metadata.name: ${fault}`));
    if (typeof name !== "string" || faults.length > 0) continue;
    if (!isProfile) others.set(key, (others.get(key) ?? new Map<string, KubeObject>()).set(name, object));
    else if (!Object.hasOwn(schemas, parseApiVersion(apiVersion).version))
      warnings.push(`${place}: PerformanceProfile ${name} is passed over: ${apiVersion} is no version that is known`);
    else {
      const before = profiles.get(name);
      if (before) warnings.push(`${place}: PerformanceProfile ${name} stands for the one in ${before.place}`);
      profiles.set(name, { place, object: convertProfile(object, profileApi) });
    }
  }
  const of = (key: string): KubeObject[] => [...(others.get(key)?.values() ?? [])];
  const infrastructure = others.get(`${configApi} Infrastructure`)?.get("cluster");
  const featureGate = others.get(`${configApi} FeatureGate`)?.get("cluster");
  return {
    profiles: [...profiles.values()],
    pools: of(`${machineConfigApi} MachineConfigPool`),
    machineConfigs: of(`${machineConfigApi} MachineConfig`),
    tuneds: of(`${tunedApi} Tuned`),
    ...(infrastructure ? { infrastructure } : {}),
    ...(featureGate ? { featureGate } : {}),
    problems,
    warnings,
  };
}

const known = [
  `${machineConfigApi} MachineConfigPool`,
  `${machineConfigApi} MachineConfig`,
  `${tunedApi} Tuned`,
  `${configApi} Infrastructure`,
  `${configApi} FeatureGate`,
];
