import {
  apiVersion as machineConfigApi,
  type MachineConfig,
  type MachineConfigPool,
} from "../../machine-config/api.ts";
import { apiVersion as tunedApi, type Tuned } from "../../node-tuning/api.ts";
import { at, isObject, set } from "../../object/json.ts";
import { type KubeObject, parseApiVersion } from "../../object/meta.ts";
import { dnsSubdomain } from "../../object/names.ts";
import { apiVersion as profileApi, group as profileGroup } from "../../performance-profile/api.ts";
import { convertProfile } from "../../performance-profile/conversion.ts";
import { schemas } from "../../performance-profile/schemas.ts";
import { validateSchema } from "../../schema/validate.ts";
import type { Asset } from "./asset.ts";
import { assetSchemas } from "./asset-schemas.ts";

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
  for (const { place, object: given } of assets) {
    const { apiVersion, kind } = given;
    const isProfile = kind === "PerformanceProfile" && parseApiVersion(apiVersion).group === profileGroup;
    const key = `${apiVersion} ${kind}`;
    if (!isProfile && !known.includes(key)) continue;
    const object = withoutNulls(given) as KubeObject;
    const faults = faultsOf(object);
    problems.push(...faults.map((fault) => `${place}: ${kind}${fault}`));
    if (faults.length > 0) continue;
    const { name = "" } = object.metadata;
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

/** Kubernetes reads a null as if nothing were there. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) if (child !== null) set(kept, key, withoutNulls(child));
  return kept;
}

/** What makes it no object of its kind, each behind its name. Names become names of files. */
function faultsOf(object: KubeObject): string[] {
  const name = at(object, "metadata", "name");
  if (typeof name !== "string" || name === "") return [": metadata.name: Required value"];
  const misnamed = dnsSubdomain(name).map(
    (reason) => `: metadata.name: Invalid value: ${JSON.stringify(name)}: ${reason}`,
  );
  if (misnamed.length > 0) return misnamed;
  const schema = assetSchemas[object.kind];
  return schema ? validateSchema(object, schema).map(({ field, message }) => ` ${name}: ${field}: ${message}`) : [];
}
