import { equal } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { dnsSubdomain } from "../../language/object/names.ts";
import { tuningKinds } from "../hosted/envelope/manifest-kinds.ts";
import {
  type ConfigMap,
  type Manifest,
  type ManifestProblem,
  readManifests,
} from "../hosted/envelope/read-manifests.ts";
import { hostedTunedName, labelLimit } from "../hosted/names.ts";
import { configKey, keys, tuningKeys } from "../hosted/protocol.ts";
import { roleLabel } from "../machine-config/api.ts";
import type { Tuned } from "../node-tuning/api.ts";
import { type PerformanceProfile, performanceProfileKind } from "../performance-profile/api.ts";
import { findings } from "../performance-profile/findings.ts";
import type { NodePool } from "./api.ts";
import { tuningReferences } from "./references.ts";

/** An object that a user's ConfigMap brings. */
export interface Given<Object extends KubeObject> {
  readonly object: Object;
  readonly from: string;
}

/** What the ConfigMaps of a NodePool say. */
export interface Tuning {
  readonly tuneds: readonly Given<Tuned>[];
  /** Those that are valid. More than one is a problem. */
  readonly profiles: readonly Given<PerformanceProfile>[];
  readonly problems: readonly ManifestProblem[];
  /** Whether the NodePool refers to a ConfigMap that is not there, or not yet. */
  readonly isMissingSome: boolean;
}

/** Reads what a NodePool refers to, strictly: what is wrong is a problem with its place, and what is right counts. */
export function readTuning(nodePool: NodePool, configMap: (name: string) => ConfigMap | undefined): Tuning {
  const { name: pool = "" } = nodePool.metadata;
  const objects = new Map<string, Manifest>();
  const problems: ManifestProblem[] = [];
  let isMissingSome = false;
  for (const name of tuningReferences(nodePool)) {
    const found = configMap(name);
    if (!found) {
      isMissingSome = true;
      problems.push({ configMap: name, message: "not found" });
      continue;
    }
    const read = readManifests(found, tuningKeys, tuningKinds);
    problems.push(...read.problems, ...ambiguousKeys(found));
    for (const manifest of read.manifests) {
      const faults = faultsOf(manifest, pool);
      problems.push(...faults);
      if (faults.length === 0) add(manifest, objects, problems);
    }
  }
  const given = Array.from(objects.values(), ({ object, place }) => ({ object, from: place.configMap }));
  const profiles = given.filter(({ object }) => isProfile(object)) as Given<PerformanceProfile>[];
  return {
    tuneds: given.filter(({ object }) => !isProfile(object)),
    profiles,
    problems: [...problems, ...tooMany(profiles)],
    isMissingSome,
  };
}

/** A ConfigMap may have MachineConfigs under `config` beside its Tuneds; two keys for Tuneds are a mistake. */
function ambiguousKeys({ metadata: { name = "" }, data = {} }: ConfigMap): ManifestProblem[] {
  const [first, ...others] = tuningKeys.filter((key) => key !== configKey && Object.hasOwn(data, key));
  return others.map((key) => ({
    configMap: name,
    message: `has the keys ${first} and ${key}, of which ${first} is used: move what is under ${key} there, and remove ${key}`,
  }));
}

function isProfile({ kind }: KubeObject): boolean {
  return kind === performanceProfileKind.kind;
}

/** The same object twice is no problem; two of one name are, and the first counts. */
function add(manifest: Manifest, objects: Map<string, Manifest>, problems: ManifestProblem[]): void {
  const { kind, metadata } = manifest.object;
  const known = objects.get(`${kind} ${metadata.name}`);
  if (!known) objects.set(`${kind} ${metadata.name}`, manifest);
  else if (!equal(known.object, manifest.object)) {
    const message = `ConfigMap ${known.place.configMap} has another one of this name, which is used instead`;
    problems.push({ ...manifest.place, kind, name: metadata.name, message });
  }
}

function faultsOf({ object, place }: Manifest, nodePool: string): ManifestProblem[] {
  const { name = "" } = object.metadata;
  const of = { ...place, kind: object.kind, name };
  if (!isProfile(object)) return dnsSubdomain(hostedTunedName(name, nodePool)).map((message) => ({ ...of, message }));
  return findings(forNodePool(object as PerformanceProfile, nodePool))
    .filter(({ severity }) => severity === "error")
    .map(({ field, message }) => ({ ...of, field, message }));
}

/**
 * A profile as the nodes of a NodePool get it. Its own selectors are for clusters with pools of machine configs, and have no
 * meaning here.
 */
export function forNodePool(profile: PerformanceProfile, nodePool: string): PerformanceProfile {
  const { machineConfigPoolSelector: _, ...spec } = profile.spec ?? {};
  return {
    ...profile,
    spec: { ...spec, nodeSelector: { [keys.nodePool]: nodePool }, machineConfigLabel: { [roleLabel]: "worker" } },
  };
}

function tooMany(profiles: readonly Given<PerformanceProfile>[]): ManifestProblem[] {
  const [first, ...others] = profiles;
  return others.map(({ object, from }) => ({
    configMap: from,
    kind: object.kind,
    name: object.metadata.name,
    message: `a NodePool has at most one PerformanceProfile, and ConfigMap ${first?.from} has ${first?.object.metadata.name}: remove one of them`,
  }));
}

/** Names of NodePools stand in labels. */
export function nameTooLong({ metadata: { name = "" } }: NodePool): string | undefined {
  return name.length > labelLimit
    ? `the name of the NodePool has more than ${labelLimit} characters, which no label holds: create it anew with a shorter name`
    : undefined;
}
