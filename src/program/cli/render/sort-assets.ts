import {
  type MachineConfig,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
} from "../../../domain/machine-config/api.ts";
import { type Tuned, tunedKind } from "../../../domain/node-tuning/api.ts";
import { at, equal, withoutNulls } from "../../../language/object/json.ts";
import { type KindRef, type KubeObject, parseApiVersion } from "../../../language/object/meta.ts";
import { dnsSubdomain } from "../../../language/object/names.ts";
import { apiVersion as profileApi, group as profileGroup } from "../../../domain/performance-profile/api.ts";
import { convertProfile } from "../../../domain/performance-profile/conversion/conversion.ts";
import { featureGateKind } from "../../../domain/performance-profile/mixed-cpus-allowed.ts";
import { schemas } from "../../../domain/performance-profile/schemas.ts";
import type { Schema } from "../../../language/schema/schema.ts";
import { validateSchema } from "../../../language/schema/validate.ts";
import { infrastructureKind } from "../../../domain/workload-partitioning/identifier.ts";
import { textFault } from "../../manifest/parse-documents.ts";
import type { Asset } from "./read-assets.ts";

/** The objects of the input that rendering uses. */
export interface SortedAssets {
  /** All converted to v2. */
  readonly profiles: readonly Asset[];
  readonly pools: readonly MachineConfigPool[];
  readonly machineConfigs: readonly MachineConfig[];
  readonly tuneds: readonly Tuned[];
  readonly infrastructure: KubeObject | undefined;
  readonly featureGate: KubeObject | undefined;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** Picks the objects of known kinds. Of several with the same name the last one wins, as if they were applied in turn. */
export function sortAssets(assets: readonly Asset[]): SortedAssets {
  const profiles = new Map<string, Asset>();
  const others = new Map<string, Map<string, KubeObject>>();
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const { place, object: given } of assets) {
    const { apiVersion, kind } = given;
    const isProfile = kind === "PerformanceProfile" && parseApiVersion(apiVersion).group === profileGroup;
    const key = keyOf(given);
    if (!isProfile && !known.includes(key)) continue;
    const object = withoutNulls(given) as KubeObject;
    const faults = faultsOf(object);
    problems.push(...faults.map((fault) => `${place}: ${kind}${fault}`));
    if (faults.length > 0) continue;
    const { name = "" } = object.metadata;
    if (!isProfile) others.set(key, (others.get(key) ?? new Map<string, KubeObject>()).set(name, object));
    else if (!Object.hasOwn(schemas, parseApiVersion(apiVersion).version))
      warnings.push(`${place}: PerformanceProfile ${name} is ignored: ${apiVersion} is not a known version`);
    else {
      const before = profiles.get(name);
      const converted = convertProfile(object, profileApi);
      if (before && !equal(before.object, converted))
        warnings.push(`${place}: PerformanceProfile ${name} replaces the one in ${before.place}`);
      profiles.set(name, { place, object: converted });
    }
  }
  const named = (kind: KindRef): ReadonlyMap<string, KubeObject> =>
    others.get(keyOf(kind)) ?? new Map<string, KubeObject>();
  return {
    profiles: [...profiles.values()],
    pools: [...named(machineConfigPoolKind).values()],
    machineConfigs: [...named(machineConfigKind).values()],
    tuneds: [...named(tunedKind).values()],
    infrastructure: named(infrastructureKind).get("cluster"),
    featureGate: named(featureGateKind).get("cluster"),
    problems,
    warnings,
  };
}

const known = [machineConfigPoolKind, machineConfigKind, tunedKind, infrastructureKind, featureGateKind].map(keyOf);

function keyOf({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  return `${apiVersion} ${kind}`;
}

/** What is wrong with an object. Names are checked since they become file names. */
function faultsOf(object: KubeObject): string[] {
  const name = at(object, "metadata", "name");
  if (typeof name !== "string" || name === "") return [`: metadata.name ${textFault(name)}`];
  const misnamed = dnsSubdomain(name).map(
    (reason) => `: metadata.name: Invalid value: ${JSON.stringify(name)}: ${reason}`,
  );
  if (misnamed.length > 0) return misnamed;
  const schema = assetSchemas[object.kind];
  return schema ? validateSchema(object, schema).map(({ field, message }) => ` ${name}: ${field}: ${message}`) : [];
}

const text: Schema = { type: "string" };
const texts: Schema = { type: "array", items: text };

function object(properties: Record<string, Schema>, ...required: string[]): Schema {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

const labels: Schema = { type: "object", additionalProperties: text };
const selector = object({
  matchLabels: labels,
  matchExpressions: {
    type: "array",
    items: object({ key: text, operator: text, values: texts }, "key", "operator"),
  },
});

function asset(spec: Schema): Schema {
  return { type: "object", properties: { metadata: object({ labels, annotations: labels }), spec } };
}

/** Schemas of the fields that are read here, or copied into the output. */
const assetSchemas: Readonly<Record<string, Schema>> = {
  MachineConfigPool: asset(object({ nodeSelector: selector, machineConfigSelector: selector })),
  MachineConfig: asset(object({ kernelArguments: texts })),
};
