import type { KubeObject } from "../../../language/object/meta.ts";
import { labelValue } from "../../../language/object/names.ts";
import { tuningNamespace } from "../../node-tuning/api.ts";
import { kubeletConfigKind, machineConfigKind } from "../../machine-config/api.ts";
import { tunedKind } from "../../node-tuning/api.ts";
import type { DerivedKind } from "../../performance-profile/decide.ts";
import { derivedAtAnnotation } from "../../performance-profile/other-operator/hold.ts";
import { derivedNames } from "../../performance-profile/names.ts";
import { derivedSetAnnotation } from "../../rollout/derived-set.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { envelope, manifestsText, ownerOf } from "../envelope/write-manifests.ts";
import { hashedProfileName } from "../names.ts";
import { isNote } from "../notes.ts";
import {
  type ChildNames,
  configKey,
  type Content,
  contentOf,
  type HostedProtocol,
  keys,
  marksOf,
  nodePoolIn,
  nodePoolOf,
  statusKey,
} from "../protocol.ts";
import type { EnvelopedProfile } from "./read-envelope.ts";

/** What is derived from a profile and goes into a ConfigMap. */
export type ChildKind = Exclude<DerivedKind, "RuntimeClass">;

const contentsOf: Readonly<Record<keyof ChildNames, Exclude<Content, "copy" | "profile">>> = {
  Tuned: "tuneds",
  MachineConfig: "machineConfig",
  KubeletConfig: "kubeletConfig",
  status: "status",
};

export function childNames({ metadata, envelope: place }: EnvelopedProfile, protocol: HostedProtocol): ChildNames {
  const { configMap, nodePool } = place;
  return protocol.childrenOf(configMap.metadata.name ?? "", { profile: metadata.name ?? "", nodePool });
}

/** The ConfigMap of a derived object, or of the status. */
export function childConfigMap(
  profile: EnvelopedProfile,
  { kind, text, marks = {} }: { kind: keyof ChildNames; text: string; marks?: Record<string, string> },
  protocol: HostedProtocol,
): ConfigMap {
  const { configMap, nodePool } = profile.envelope;
  const { name: plain = "" } = profile.metadata;
  const embedded = protocol.embeddedName({ profile: plain, nodePool });
  const content = contentsOf[kind];
  const given = configMap.metadata.annotations?.[keys.nodePool];
  const labels = marksOf(content, protocol).map((mark) => [mark, "true"]);
  const key = { tuneds: protocol.tuningKey, status: statusKey, machineConfig: configKey, kubeletConfig: configKey };
  return envelope({
    name: childNames(profile, protocol)[kind],
    namespace: configMap.metadata.namespace ?? "",
    labels: {
      ...(nodePool === "" ? {} : { [keys.nodePool]: nodePool }),
      [keys.performanceProfileName]: fits(embedded) ? embedded : hashedProfileName(plain, nodePool),
      ...Object.fromEntries(labels),
    },
    annotations: { ...(given === undefined ? {} : { [keys.nodePool]: given }), ...marks },
    owner: ownerOf(configMap),
    key: key[content],
    text,
  });
}

/** Names may be longer than labels. */
function fits(name: string): boolean {
  return labelValue(name).length === 0;
}

/**
 * The mark of the set is on the ConfigMap: HyperShift counts all that a MachineConfig or KubeletConfig inside has, and a change
 * of the mark alone would restart nodes. A Tuned takes it along into the hosted cluster, where node tuning sees it.
 */
export function derivedConfigMap(
  profile: EnvelopedProfile,
  object: KubeObject & { kind: ChildKind },
  protocol: HostedProtocol,
): ConfigMap {
  const { annotations = {} } = object.metadata;
  const marked = Object.entries(annotations).filter(([name]) => setMarks.includes(name));
  const inside = object.kind === "Tuned" ? object : withoutMarks(withoutSelector(object, protocol));
  return childConfigMap(
    profile,
    { kind: object.kind, text: manifestsText([inside]), marks: Object.fromEntries(marked) },
    protocol,
  );
}

const setMarks: readonly string[] = [derivedSetAnnotation, derivedAtAnnotation];

function withoutMarks(object: KubeObject): KubeObject {
  const { annotations = {}, ...metadata } = object.metadata;
  const others = Object.entries(annotations).filter(([name]) => !setMarks.includes(name));
  return {
    ...object,
    metadata: { ...metadata, ...(others.length > 0 ? { annotations: Object.fromEntries(others) } : {}) },
  };
}

/** A NodePool takes every KubeletConfig that is generated for it: none needs to select pools. */
function withoutSelector(object: KubeObject, { kubeletConfigBy }: HostedProtocol): KubeObject {
  if (object.kind !== kubeletConfigKind.kind || kubeletConfigBy === "selector") return object;
  const { machineConfigPoolSelector: _, ...spec } = object["spec"] as Record<string, unknown>;
  return { ...object, spec };
}

/** An object of a ConfigMap as far as decisions look at it: what it is, whose, and of which set. */
export interface Child extends KubeObject {
  readonly configMap: ConfigMap;
}

const derived = {
  Tuned: { ...tunedKind, nameOf: (profile: string) => derivedNames(profile).tuned, namespace: tuningNamespace },
  MachineConfig: { ...machineConfigKind, nameOf: (profile: string) => derivedNames(profile).machineConfig },
  KubeletConfig: { ...kubeletConfigKind, nameOf: (profile: string) => derivedNames(profile).kubeletConfig },
};

/** The ConfigMap with the name of a derived one, as the object that it is for. */
export function childOf(kind: ChildKind, configMap: ConfigMap, profile: EnvelopedProfile): Child {
  const { apiVersion, nameOf } = derived[kind];
  const { nodePool } = profile.envelope;
  return {
    apiVersion,
    kind,
    metadata: {
      ...configMap.metadata,
      name: nameOf(profile.metadata.name ?? ""),
      ...(isOfAnother(configMap, profile) ? { ownerReferences: [otherOwner(configMap)] } : {}),
    },
    ...(configMap.immutable ? { immutable: true } : {}),
    // Where a NodePool is rolled out to is told by its pool; a KubeletConfig in a ConfigMap has no status of its own.
    ...(kind === "KubeletConfig" ? { status: {} } : {}),
    configMap,
    nodePool,
  };
}

/** A ConfigMap without an owner is adopted, unless the management side wrote it. */
function isOfAnother(configMap: ConfigMap, { envelope: place }: EnvelopedProfile): boolean {
  const { ownerReferences = [], labels = {} } = configMap.metadata;
  if (ownerReferences.some(({ controller }) => controller)) return false;
  if (isNote(configMap)) return true;
  const content = contentOf(configMap);
  if (content === undefined) return false;
  const isDerived = Object.hasOwn(labels, keys.performanceProfileName);
  return content === "copy" || content === "profile" || !isDerived || poolOf(configMap) !== place.nodePool;
}

function poolOf(configMap: ConfigMap): string {
  return nodePoolIn(configMap) ?? nodePoolOf(configMap);
}

function otherOwner(configMap: ConfigMap): NonNullable<KubeObject["metadata"]["ownerReferences"]>[number] {
  return { apiVersion: "", kind: "NodePool", name: poolOf(configMap), uid: "", controller: true };
}

/** ConfigMaps that the ConfigMap of a profile owns and that have other names than derived ones have now. */
export function leftovers(
  profile: EnvelopedProfile,
  configMaps: readonly ConfigMap[],
  protocol: HostedProtocol,
): Child[] {
  const names = new Set(Object.values(childNames(profile, protocol)));
  const { uid } = profile.metadata;
  const kinds = new Map(Object.entries(contentsOf).map(([kind, content]) => [content, kind as keyof ChildNames]));
  return configMaps.flatMap((configMap) => {
    const { name = "", ownerReferences = [] } = configMap.metadata;
    if (names.has(name) || !ownerReferences.some((owner) => owner.controller && owner.uid === uid)) return [];
    const content = contentOf(configMap);
    const kind = content === undefined ? undefined : kinds.get(content as never);
    return kind === undefined || kind === "status"
      ? [{ ...configMap, configMap }]
      : [childOf(kind, configMap, profile)];
  });
}
