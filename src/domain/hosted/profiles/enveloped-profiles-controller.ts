import type { Cache, Informer } from "../../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { wholeUpdate } from "../../../cluster/runtime/act/whole-object.ts";
import { source, type Source } from "../../../cluster/runtime/controller/controller.ts";
import { equal } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type ObjectReference, type PlannedObject, referenceTo } from "../../../language/object/plan.ts";
import type { MachineConfigPool } from "../../machine-config/api.ts";
import type { Profile } from "../../node-tuning/api.ts";
import type { BootDecision } from "../../node-tuning/boot/boot-decision.ts";
import { runtimeClassKind } from "../../performance-profile/api.ts";
import type { DerivedKind, ProfileInput } from "../../performance-profile/decide.ts";
import { derivedNames } from "../../performance-profile/names.ts";
import type { ObjectSink, ProfileSource, ProfileSurroundings } from "../../performance-profile/profile-places.ts";
import { degraded } from "../../performance-profile/status.ts";
import { surroundingsOf } from "../../performance-profile/surroundings.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { contentOf, type HostedProtocol, keys, nodePoolOf } from "../protocol.ts";
import {
  type Child,
  childConfigMap,
  type ChildKind,
  childNames,
  childOf,
  derivedConfigMap,
  leftovers,
} from "./children.ts";
import { bootArgumentsKey, holdFor, nodeProfileKey, poolFor } from "./pool-terms.ts";
import { EnvelopeReader, keyOf } from "./envelope-reader.ts";
import { statusIn, statusText } from "./profile-status.ts";
import { type EnvelopedProfile, finalizer, isProfileConfigMap } from "./read-envelope.ts";
import { hostedRuntimeClass, runtimeClassTaken, severalProfiles } from "./runtime-classes.ts";

/** Profiles in ConfigMaps of the control plane namespace, and what they depend on in the hosted cluster. */
export interface EnvelopedProfiles {
  /** Of the management cluster. */
  readonly client: Client;
  /** Of the control plane namespace. */
  readonly configMaps: Informer<ConfigMap>;
  readonly namespace: string;
  readonly protocol: HostedProtocol;
  readonly runtimeClasses: Informer;
  /** As `projectNode` keeps them. */
  readonly nodes: Informer;
  /** Of node tuning: with the hardware of nodes. */
  readonly hardware: Informer;
  /** Of node tuning: with conditions. */
  readonly nodeProfiles: Informer<Profile>;
  /** Of NodePools that are updated in place. */
  readonly pools?: Informer<MachineConfigPool> | undefined;
  readonly infrastructures?: Informer | undefined;
  readonly featureGates?: Informer | undefined;
  /** The NodePool of a Node. Default: that of its label. */
  readonly poolOf?: ((node: KubeObject) => string) | undefined;
  readonly boot: () => BootDecision | undefined;
  readonly bootSource: (keys: () => readonly string[]) => Source<string>;
  readonly now: () => number;
}

interface Wakes {
  readonly sources: readonly Source<string>[];
}

interface Places {
  readonly source: ProfileSource<EnvelopedProfile> & Wakes;
  readonly sink: ObjectSink<EnvelopedProfile> & Wakes;
  readonly around: ProfileSurroundings<EnvelopedProfile> & Wakes;
  readonly written: ReadonlyMap<string, { readonly kind: KindRef; readonly cache: Cache }>;
}

export function envelopedProfiles(objects: EnvelopedProfiles): Places {
  const reader = new EnvelopeReader(objects.configMaps);
  return {
    source: sourceOf(objects, reader),
    sink: sinkOf(objects, reader),
    around: aroundOf(objects, reader),
    written: new Map([
      [kinds.configMap.kind, { kind: kinds.configMap, cache: objects.configMaps }],
      [runtimeClassKind.kind, { kind: runtimeClassKind, cache: objects.runtimeClasses }],
    ]),
  };
}

function sourceOf(objects: EnvelopedProfiles, reader: EnvelopeReader): ProfileSource<EnvelopedProfile> & Wakes {
  const { client, configMaps, namespace, protocol } = objects;
  const statusKey = (profile: EnvelopedProfile): string => `${namespace}/${childNames(profile, protocol).status}`;
  return {
    finalizer,
    sources: [
      source(configMaps, (event) => [
        ...(event.type === "updated" ? concerned(event.before, reader, protocol) : []),
        ...concerned(event.object, reader, protocol),
      ]),
    ],
    get(key) {
      const profile = reader.get(key);
      if (!profile) return undefined;
      const status = statusIn(configMaps.get(statusKey(profile)));
      return { ...profile, ...(status ? { status } : {}) };
    },
    reference: ({ envelope: { configMap } }) => referenceTo(configMap),
    planStatus(profile, status) {
      const { metadata, envelope } = profile;
      const found = configMaps.get(statusKey(profile));
      if (found?.immutable) return { prunes: [referenceTo(found)] };
      const text = statusText(metadata.name ?? "", envelope.nodePool, status);
      return { objects: [owned(childConfigMap(profile, { kind: "status", text }, protocol), profile)] };
    },
    async setFinalizers({ metadata, envelope: { configMap } }, finalizers, signal) {
      const patch = { metadata: { finalizers, resourceVersion: metadata.resourceVersion } };
      const { name = "" } = configMap.metadata;
      await client.patch(kinds.configMap, name, { type: "merge", patch }, { namespace, signal });
    },
  };
}

/** The profiles that a ConfigMap is of, is derived from, or shares its NodePool or its RuntimeClass with. */
function concerned(configMap: ConfigMap, reader: EnvelopeReader, protocol: HostedProtocol): string[] {
  const { name = "", ownerReferences = [] } = configMap.metadata;
  const given = isProfileConfigMap(configMap) ? reader.read(configMap) : undefined;
  const content = contentOf(configMap);
  const hasArguments = content === "machineConfig" && ownerReferences.length === 0;
  return reader
    .all()
    .filter((profile) => {
      if (given) return isNear(profile, given);
      if (ownerReferences.some(({ uid }) => uid === profile.metadata.uid)) return true;
      if (hasArguments && nodePoolOf(configMap) === profile.envelope.nodePool) return true;
      return Object.values(childNames(profile, protocol)).includes(name);
    })
    .map(keyOf);
}

function isNear(profile: EnvelopedProfile, other: EnvelopedProfile): boolean {
  return profile.metadata.name === other.metadata.name || profile.envelope.nodePool === other.envelope.nodePool;
}

function owned(object: KubeObject, { envelope: { configMap } }: EnvelopedProfile): PlannedObject {
  const because = `derived from the PerformanceProfile of ConfigMap ${configMap.metadata.name}`;
  return { owns: "whole", object, exactMetadata: true, because };
}

function sinkOf(objects: EnvelopedProfiles, reader: EnvelopeReader): ObjectSink<EnvelopedProfile> & Wakes {
  const { configMaps, runtimeClasses, namespace, protocol } = objects;
  const prefix = derivedNames("").runtimeClass;
  const found = ({ kind, metadata }: KubeObject): KubeObject | undefined =>
    kind === runtimeClassKind.kind
      ? runtimeClasses.get(metadata.name ?? "")
      : configMaps.get(`${namespace}/${metadata.name}`);
  return {
    sources: [
      source(runtimeClasses, ({ object: { metadata } }) =>
        reader
          .all()
          .flatMap((profile) => (`${prefix}${profile.metadata.name}` === metadata.name ? [keyOf(profile)] : [])),
      ),
    ],
    observed(profile) {
      const names = childNames(profile, protocol);
      const children = (["Tuned", "MachineConfig", "KubeletConfig"] as const).flatMap(
        (kind): [DerivedKind, KubeObject][] => {
          const configMap = configMaps.get(`${namespace}/${names[kind]}`);
          return configMap ? [[kind, childOf(kind, configMap, profile)]] : [];
        },
      );
      // One without a profile is removed by its own controller, which needs no profile for that.
      const runtimeClass = profile.metadata.deletionTimestamp
        ? undefined
        : runtimeClasses.get(derivedNames(profile.metadata.name ?? "").runtimeClass);
      return Object.fromEntries([...children, ...(runtimeClass ? [["RuntimeClass", runtimeClass] as const] : [])]);
    },
    plan(object, profile) {
      const isRuntimeClass = object.kind === runtimeClassKind.kind;
      return owned(
        isRuntimeClass
          ? hostedRuntimeClass(object, profile)
          : derivedConfigMap(profile, object as KubeObject & { kind: ChildKind }, protocol),
        profile,
      );
    },
    differs({ object, exactMetadata }) {
      const there = found(object);
      return there !== undefined && wholeUpdate(object, there, { exactMetadata }) !== undefined;
    },
    prune: (object): ObjectReference => referenceTo((object as Partial<Child>).configMap ?? object),
  };
}

function aroundOf(objects: EnvelopedProfiles, reader: EnvelopeReader): ProfileSurroundings<EnvelopedProfile> & Wakes {
  const { nodes, hardware, nodeProfiles, pools, configMaps, namespace, protocol } = objects;
  const poolOf = objects.poolOf ?? nodePoolOf;
  const all = (): string[] => reader.all().map(keyOf);
  const inPool = (nodePool: string): string[] =>
    reader.all().flatMap((profile) => (profile.envelope.nodePool === nodePool ? [keyOf(profile)] : []));
  const ofNode = ({ metadata: { name = "" } }: KubeObject): string[] => {
    const node = nodes.get(name);
    return node ? inPool(poolOf(node)) : all();
  };
  return {
    sources: [
      source(nodes, (event) => [
        ...inPool(poolOf(event.object)),
        ...(event.type === "updated" ? inPool(poolOf(event.before)) : []),
      ]),
      source(hardware, (event) =>
        event.type === "updated" && equal(event.before["status"], event.object["status"]) ? [] : ofNode(event.object),
      ),
      source(nodeProfiles, ({ object }) => ofNode(object)),
      objects.bootSource(all),
      ...(pools ? [source(pools, ({ object }) => inPool(object.metadata.name ?? ""))] : []),
      ...[objects.infrastructures, objects.featureGates].flatMap((informer) =>
        informer ? [source(informer, all)] : [],
      ),
    ],
    of(profile) {
      const { nodePool } = profile.envelope;
      const members = nodes.list().filter((node) => poolOf(node) === nodePool);
      const found = members.flatMap(({ metadata }) => nodeProfiles.get(nodeProfileKey(metadata.name ?? "")) ?? []);
      const others = reader.all();
      return {
        surroundings: surroundings(profile, members, objects),
        nodeProfiles: found,
        hold: holdFor(profile, {
          boot: objects.boot(),
          members,
          nodeProfiles: found,
          bootArguments: configMaps.get(bootArgumentsKey(namespace, nodePool)),
          now: objects.now(),
        }),
        problem: problemOf(profile, others),
        leftovers: leftovers(profile, configMaps.list(), protocol),
        runtimeClassTaken: runtimeClassTaken(profile, others),
      };
    },
  };
}

function problemOf(profile: EnvelopedProfile, others: readonly EnvelopedProfile[]): ProfileInput["problem"] {
  const problem = profile.envelope.problem ?? severalProfiles(profile, others);
  return problem === undefined ? undefined : degraded("ComponentCreationFailed", problem);
}

/** Of the nodes of the NodePool, whatever the selector of the profile says. */
function surroundings(
  profile: EnvelopedProfile,
  members: readonly KubeObject[],
  { hardware, pools, infrastructures, featureGates }: EnvelopedProfiles,
): ProfileInput["surroundings"] {
  const { nodePool } = profile.envelope;
  const labels = { [keys.nodePool]: nodePool };
  const nodes = members.map((node) => ({ ...node, metadata: { ...node.metadata, labels } }));
  const found = surroundingsOf(
    { ...profile, spec: { nodeSelector: labels } },
    {
      nodes,
      performanceProfiles: [],
      profiles: hardware.list(),
      infrastructure: infrastructures?.get("cluster"),
      featureGate: featureGates?.get("cluster"),
    },
  );
  return { ...found, pools: [poolFor(profile, pools?.get(nodePool))] };
}
