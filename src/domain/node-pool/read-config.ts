import { equal } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { configKinds } from "../hosted/envelope/manifest-kinds.ts";
import {
  type ConfigMap,
  type Manifest,
  type ManifestProblem,
  readManifests,
} from "../hosted/envelope/read-manifests.ts";
import { configKey, contentOf, type HostedProtocol, nodePoolOf } from "../hosted/protocol.ts";
import { group, kubeletConfigKind, machineConfigKind, roleLabel } from "../machine-config/api.ts";
import type { NodePool } from "./api.ts";
import { contentProblems } from "./content-problems.ts";
import { managementOf } from "./rollout/management.ts";
import { configReferences } from "./references.ts";

export interface ConfigInput {
  readonly nodePool: NodePool;
  /** A ConfigMap of the namespace of the NodePool. */
  readonly configMap: (name: string) => ConfigMap | undefined;
  /** ConfigMaps of the control plane namespace. */
  readonly controlPlane: readonly ConfigMap[];
  /** Whether nodes of the hosted cluster are tuned. */
  readonly isTuned: boolean;
  readonly protocol: HostedProtocol;
}

/** What is to be on the nodes of a NodePool, beside what every NodePool has. */
export interface Config {
  /** What users gave and can be used. */
  readonly own: readonly KubeObject[];
  readonly generated: readonly KubeObject[];
  /** Manifests of users, by which ConfigMaps are copied. */
  readonly given: readonly Manifest[];
  readonly problems: readonly ManifestProblem[];
  /** Whether the NodePool refers to a ConfigMap that is not there, or not yet. */
  readonly isMissingSome: boolean;
  /** Whether it is open which of two objects nodes would get. */
  readonly isContradictory: boolean;
}

/** Reads the MachineConfigs, KubeletConfigs and the like of a NodePool. */
export function readConfig({ nodePool, configMap, controlPlane, isTuned, protocol }: ConfigInput): Config {
  const problems: ManifestProblem[] = [];
  const given = configReferences(nodePool).flatMap((name) => {
    const found = configMap(name);
    if (!found) problems.push({ configMap: name, message: "not found" });
    return found ? manifestsOf(found, problems) : [];
  });
  // What HyperShift makes of a configuration for new machines is its own affair.
  const isInPlace = managementOf(nodePool).upgradeType === "InPlace";
  const faults = new Map(given.map((one) => [one, isInPlace ? contentProblems(one) : []]));
  problems.push(...[...faults.values()].flat());
  const generated = isTuned
    ? controlPlane.filter((one) => isGenerated(one, nodePool)).flatMap((one) => manifestsOf(one, problems))
    : [];
  const contradictions = [...severalKubeletConfigs(given, generated), ...sameNames(given, generated)];
  problems.push(...contradictions);
  const forNodes = (some: readonly Manifest[]): KubeObject[] => some.map(({ object }) => forPayload(object, protocol));
  return {
    own: forNodes(given.filter((one) => faults.get(one)?.length === 0)),
    generated: forNodes(generated),
    given,
    problems,
    isMissingSome: configReferences(nodePool).some((name) => !configMap(name)),
    isContradictory: contradictions.length > 0,
  };
}

function manifestsOf(configMap: ConfigMap, problems: ManifestProblem[]): readonly Manifest[] {
  const read = readManifests(configMap, [configKey], configKinds);
  problems.push(...read.problems);
  return read.manifests;
}

function isGenerated(configMap: ConfigMap, { metadata }: NodePool): boolean {
  const content = contentOf(configMap);
  return nodePoolOf(configMap) === metadata.name && (content === "machineConfig" || content === "kubeletConfig");
}

/**
 * A KubeletConfig replaces fields of another one: of two, it is open which one kubelets get. One that is generated brings
 * what its profile needs, and one of a user would undo it.
 */
function severalKubeletConfigs(given: readonly Manifest[], generated: readonly Manifest[]): ManifestProblem[] {
  const isKubeletConfig = ({ object }: Manifest): boolean => object.kind === kubeletConfigKind.kind;
  const [first, ...others] = [...generated, ...given].filter(isKubeletConfig);
  const rest =
    first && generated.includes(first)
      ? "that of its PerformanceProfile is used: remove this one, or give its fields in the annotation kubeletconfig.experimental of the profile"
      : `ConfigMap ${first?.place.configMap} has ${first?.object.metadata.name}: remove one of them`;
  return others.map(({ object, place }) => ({
    ...place,
    kind: object.kind,
    name: object.metadata.name,
    message: `a NodePool has at most one KubeletConfig, and ${rest}`,
  }));
}

/** Of two objects with one name and different contents, it is open what nodes get. That of a KubeletConfig is said above. */
function sameNames(given: readonly Manifest[], generated: readonly Manifest[]): ManifestProblem[] {
  const nameOf = ({ object: { kind, metadata } }: Manifest): string => `${kind} ${metadata.name}`;
  const first = new Map([...generated, ...given].toReversed().map((one) => [nameOf(one), one]));
  return given.flatMap((one) => {
    const { kind, metadata, spec } = one.object;
    const other = first.get(nameOf(one));
    if (!other || kind === kubeletConfigKind.kind || equal(spec, other.object["spec"])) return [];
    const message = `ConfigMap ${other.place.configMap} has another one of this name: rename one of them`;
    return [{ ...one.place, kind, name: metadata.name, message }];
  });
}

/** By which the rendering of a payload finds KubeletConfigs and ContainerRuntimeConfigs of the shipped column. */
const allPools = { matchLabels: { [`${group}/mco-built-in`]: "" } };

/** An object as a payload has it: its own role and pools have no meaning for a NodePool. */
export function forPayload(object: KubeObject, { kubeletConfigBy }: HostedProtocol): KubeObject {
  const { apiVersion, kind, metadata, spec } = object;
  if (apiVersion !== machineConfigKind.apiVersion) return object;
  const withRole = { ...metadata, labels: { ...metadata.labels, [roleLabel]: "worker" } };
  if (kind === machineConfigKind.kind) return { ...object, metadata: withRole };
  const { machineConfigPoolSelector: _, ...own } = (spec ?? {}) as Record<string, unknown>;
  return kubeletConfigBy === "role"
    ? { ...object, metadata: withRole, spec: own }
    : { ...object, spec: { ...own, machineConfigPoolSelector: allPools } };
}
