import type { Cache, CacheEvent, Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { wholeUpdate } from "../../cluster/runtime/act/whole-object.ts";
import { source, type Source } from "../../cluster/runtime/controller/controller.ts";
import { equal } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { ObjectReference } from "../../language/object/plan.ts";
import {
  kubeletConfigKind,
  machineConfigKind,
  type MachineConfigPool,
  machineConfigPoolKind,
} from "../machine-config/api.ts";
import { type Profile, type Tuned, tunedKind, tuningNamespace } from "../node-tuning/api.ts";
import { type PerformanceProfile, performanceProfileKind, runtimeClassKind } from "./api.ts";
import type { HoldInput } from "./other-operator/hold.ts";
import { derivedNames } from "./names.ts";
import { pausePatch } from "./other-operator/pause.ts";
import type { PerformanceProfileOptions, Wakes } from "./performance-profile-controller.ts";
import { selects } from "./pools.ts";
import type { ObjectSink, ProfileSource, ProfileSurroundings } from "./profile-places.ts";
import { type ClusterObjects, surroundingsOf } from "./surroundings.ts";

/** Without a domain, as that of the operator that Attune replaces: either of them can finish the deletion of a profile. */
const finalizer = "foreground-deletion";

/** Profiles and derived objects that are objects of one API server. Kinds that the cluster does not have are left out. */
export interface ApiObjects {
  readonly client: Client;
  readonly profiles: Informer<PerformanceProfile>;
  readonly tuneds: Informer<Tuned>;
  readonly machineConfigs?: Informer | undefined;
  readonly kubeletConfigs?: Informer | undefined;
  readonly runtimeClasses?: Informer | undefined;
  readonly pools?: Informer<MachineConfigPool> | undefined;
  /** As `projectNode` keeps them. */
  readonly nodes: Informer;
  /** Of node tuning: with the hardware of nodes. */
  readonly hardware: Informer;
  /** Of node tuning: with conditions. */
  readonly nodeProfiles: Informer<Profile>;
  /** At most one object: whether the cluster is partitioned. */
  readonly identifier?: Informer | undefined;
  readonly featureGates?: Informer | undefined;
  /** Where another operator rolls out pools: what node tuning decides about boot arguments. */
  readonly hold?: (() => HoldInput) | undefined;
  readonly holdSources?: readonly Source<string>[] | undefined;
}

type Places = Pick<PerformanceProfileOptions, "source" | "sink" | "around" | "written">;

export function apiObjects(objects: ApiObjects): Places {
  return { source: sourceOf(objects), sink: sinkOf(objects), around: aroundOf(objects), written: writtenOf(objects) };
}

function writtenOf(objects: ApiObjects): Places["written"] {
  const { machineConfigs, kubeletConfigs } = objects;
  const entries: [KindRef, Cache | undefined][] = [
    [performanceProfileKind, objects.profiles],
    [tunedKind, objects.tuneds],
    [machineConfigKind, machineConfigs],
    [kubeletConfigKind, kubeletConfigs],
    [runtimeClassKind, objects.runtimeClasses],
  ];
  return new Map(entries.flatMap(([kind, cache]) => (cache ? [[kind.kind, { kind, cache }] as const] : [])));
}

function sourceOf(objects: ApiObjects): ProfileSource<PerformanceProfile> & Wakes {
  const { client, profiles } = objects;
  return {
    finalizer,
    sources: [source(profiles, (event) => [nameOf(event.object), ...rivals(event, objects)])],
    get: (key) => profiles.get(key),
    reference,
    planStatus: (profile, status) => ({ objects: [], statuses: [{ of: reference(profile), status: { ...status } }] }),
    async setFinalizers({ metadata: { name = "", resourceVersion } }, finalizers, signal) {
      const patch = { metadata: { finalizers, resourceVersion } };
      await client.patch(performanceProfileKind, name, { type: "merge", patch }, { signal });
    },
  };
}

/** Profiles for the same pool or the same nodes: one of them may now take effect, or no longer. */
function rivals(event: CacheEvent<PerformanceProfile>, { profiles, pools, nodes }: ApiObjects): string[] {
  const changed = event.type === "updated" ? [event.before, event.object] : [event.object];
  const selectors = changed.map(({ spec }) => spec?.nodeSelector ?? {});
  if (event.type === "updated" && equal(selectors[0], selectors[1])) return [];
  const isIn = (labels: Labels): boolean => selectors.some((one) => selects({ matchLabels: one }, labels));
  const shared = (pools?.list() ?? []).filter(({ spec }) => selectors.some((one) => selects(spec?.nodeSelector, one)));
  // Nodes with the same labels select the same profiles.
  const labels = new Map(
    nodes
      .list()
      .map(({ metadata }) => metadata.labels ?? {})
      .filter(isIn)
      .map((one) => [JSON.stringify(one), one]),
  );
  return profiles
    .list()
    .filter(({ spec }) => {
      const selector = spec?.nodeSelector ?? {};
      if (selectors.some((one) => equal(one, selector))) return true;
      if (shared.some((pool) => selects(pool.spec?.nodeSelector, selector))) return true;
      return [...labels.values()].some((one) => selects({ matchLabels: selector }, one));
    })
    .map(nameOf);
}

function reference({ apiVersion, kind, metadata: { name, uid } }: KubeObject): ObjectReference {
  return { apiVersion, kind, metadata: { name, uid } };
}

function sinkOf(objects: ApiObjects): ObjectSink<PerformanceProfile> & Wakes {
  const { client, tuneds, machineConfigs, kubeletConfigs, runtimeClasses } = objects;
  const prefixed = (informer: Informer | undefined, prefix: string): Source<string>[] =>
    informer ? [source(informer, ({ object }) => profileNamed(object, prefix))] : [];
  const names = derivedNames("");
  return {
    sources: [
      ...prefixed(tuneds, names.tuned),
      ...prefixed(machineConfigs, names.machineConfig),
      ...prefixed(kubeletConfigs, names.kubeletConfig),
      ...prefixed(runtimeClasses, names.runtimeClass),
    ],
    observed(profile) {
      const wanted = derivedNames(nameOf(profile));
      const found = {
        Tuned: tuneds.get(`${tuningNamespace}/${wanted.tuned}`),
        MachineConfig: machineConfigs?.get(wanted.machineConfig),
        KubeletConfig: kubeletConfigs?.get(wanted.kubeletConfig),
        RuntimeClass: runtimeClasses?.get(wanted.runtimeClass),
      };
      return Object.fromEntries(Object.entries(found).filter(([, object]) => object));
    },
    plan: (object, profile) => ({
      owns: "whole",
      object: { ...object, metadata: { ...object.metadata, ownerReferences: [ownerOf(profile)] } },
      because: `derived from PerformanceProfile ${nameOf(profile)}`,
    }),
    differs: ({ object }, found) => wholeUpdate(object, found) !== undefined,
    prune: ({ apiVersion, kind, metadata: { name, namespace, uid } }) => ({
      apiVersion,
      kind,
      metadata: { name, namespace, uid },
    }),
    async pause(pause, now, signal) {
      const { name = "" } = pause.pool.metadata;
      await client.patch(machineConfigPoolKind, name, { type: "merge", patch: pausePatch(pause, now) }, { signal });
    },
  };
}

function profileNamed({ metadata: { name = "" } }: KubeObject, prefix: string): string[] {
  return name.startsWith(prefix) ? [name.slice(prefix.length)] : [];
}

function ownerOf({ apiVersion, kind, metadata: { name = "", uid = "" } }: PerformanceProfile): {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller: true;
  blockOwnerDeletion: true;
} {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function aroundOf(objects: ApiObjects): ProfileSurroundings<PerformanceProfile> & Wakes {
  const { profiles, pools, nodes, hardware, nodeProfiles, identifier, featureGates } = objects;
  const all = (): string[] => profiles.list().map(nameOf);
  const selectedBy = (labels: Labels): string[] =>
    profiles
      .list()
      .filter(({ spec }) => selects({ matchLabels: spec?.nodeSelector ?? {} }, labels))
      .map(nameOf);
  const ofNode = ({ metadata: { name = "" } }: KubeObject): string[] =>
    selectedBy(nodes.get(name)?.metadata.labels ?? {});
  // Every write of a rollout is an event: of hundreds of pools each concerns few profiles.
  const ofPool = (event: CacheEvent<MachineConfigPool>): string[] => {
    const versions = event.type === "updated" ? [event.before, event.object] : [event.object];
    return profiles
      .list()
      .filter(({ spec }) => versions.some((pool) => selects(pool.spec?.nodeSelector, spec?.nodeSelector ?? {})))
      .map(nameOf);
  };
  return {
    sources: [
      source(nodes, (event) => [
        ...selectedBy(event.object.metadata.labels ?? {}),
        ...(event.type === "updated" ? selectedBy(event.before.metadata.labels ?? {}) : []),
      ]),
      source(hardware, (event) =>
        event.type === "updated" && equal(event.before["status"], event.object["status"]) ? [] : ofNode(event.object),
      ),
      source(nodeProfiles, ({ object }) => ofNode(object)),
      ...(objects.holdSources ?? []),
      ...(pools ? [source(pools, ofPool)] : []),
      ...[identifier, featureGates].flatMap((informer) => (informer ? [source(informer, all)] : [])),
    ],
    of(profile) {
      const cluster: ClusterObjects = {
        nodes: nodes.list(),
        performanceProfiles: profiles.list().filter((other) => isBefore(other, profile)),
        profiles: hardware.list(),
        pools: pools?.list(),
        infrastructure: identifier?.list()[0],
        featureGate: featureGates?.get("cluster"),
      };
      const surroundings = surroundingsOf(profile, cluster);
      const found = surroundings.nodes.map(({ name }) => nodeProfiles.get(`${tuningNamespace}/${name}`));
      return { surroundings, nodeProfiles: found.filter((one) => one !== undefined), hold: objects.hold?.() };
    },
  };
}

type Labels = Readonly<Record<string, string>>;

/** Of two profiles for the same nodes the older one keeps them, whatever is written later. */
function isBefore(other: PerformanceProfile, { metadata }: PerformanceProfile): boolean {
  const [theirs, ours] = [other.metadata.creationTimestamp ?? "", metadata.creationTimestamp ?? ""];
  return theirs === ours ? (other.metadata.name ?? "") < (metadata.name ?? "") : theirs < ours;
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name ?? "";
}
