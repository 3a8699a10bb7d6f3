import { configKinds, tunedKinds } from "../../src/domain/hosted/envelope/manifest-kinds.ts";
import { type ConfigMap, readManifests } from "../../src/domain/hosted/envelope/read-manifests.ts";
import {
  type Profile,
  profileKind,
  type Protocol,
  tunedKind,
  tuningNamespace,
} from "../../src/domain/node-tuning/api.ts";
import { runtimeClassKind } from "../../src/domain/performance-profile/api.ts";
import { isTrue } from "../../src/language/object/condition.ts";
import type { KubeObject } from "../../src/language/object/meta.ts";
import { readYaml, YamlError } from "../../src/language/object/yaml.ts";
import { type ChildKind, childNames, hashed, marks } from "./profile-column.ts";
import type { ProfileWorld } from "./profile-world.ts";

const prefix = "hypershift.openshift.io/";
const finalizer = `${prefix}foreground-deletion`;

/** What the clusters have, in the form of the recordings. */
export interface Observation {
  /** Of the ConfigMaps of profiles. */
  readonly inputs: Record<string, string>;
  /** By ConfigMap of the profile and kind. */
  readonly children: Record<string, object>;
  /** Boot arguments by NodePool. */
  readonly boot: Record<string, readonly string[]>;
  readonly runtimeClasses: Record<string, object>;
  /** NodePools of Tuneds. */
  readonly tuneds: Record<string, string>;
  readonly profiles: Record<string, string>;
}

export async function observe(world: ProfileWorld): Promise<Observation> {
  const configMaps = await world.configMaps();
  const place = { namespace: tuningNamespace };
  const [tuneds, profiles, runtimeClasses] = await Promise.all([
    world.hosted.list(tunedKind, place),
    world.hosted.list(profileKind, place),
    world.hosted.list(runtimeClassKind),
  ]);
  const named = <T extends KubeObject, V>(objects: readonly T[], value: (one: T) => V): Record<string, V> =>
    Object.fromEntries(objects.map((one) => [one.metadata.name ?? "", value(one)]));
  const inputs = configMaps.filter(({ metadata }) => metadata.finalizers?.includes(finalizer));
  return {
    inputs: named(inputs, ({ metadata }) => (metadata.deletionTimestamp ? "deleting" : "finalizer")),
    children: Object.fromEntries(configMaps.flatMap((one) => childOf(one, configMaps, world))),
    boot: Object.fromEntries(configMaps.flatMap((one) => bootOf(one, world))),
    runtimeClasses: named(runtimeClasses.items, reducedClass),
    tuneds: named(
      tuneds.items.filter(({ metadata }) => metadata.name !== "default"),
      ({ metadata }) => metadata.labels?.[`${prefix}nodePoolName`] ?? "",
    ),
    profiles: profilesOf(profiles.items),
  };
}

/** By names of nodes as recorded. */
export function profilesOf(profiles: readonly Profile[]): Record<string, string> {
  const recordedName = (name = ""): string => name.replace(/-\d+$/, "");
  return Object.fromEntries(
    profiles.map(({ metadata, spec }) => [recordedName(metadata.name), spec.config.tunedProfile]),
  );
}

function bootOf(configMap: ConfigMap, { reported }: ProfileWorld): [string, readonly string[]][] {
  const { name = "" } = configMap.metadata;
  if (!name.startsWith("nto-mc-")) return [];
  const [found] = readManifests(configMap, ["config"], configKinds).manifests;
  const { kernelArguments: words = [] } = (found?.object["spec"] ?? {}) as { kernelArguments?: string[] };
  const same = reported.find((report) => report.words.join(" ") === words.join(" "));
  return [[name.slice("nto-mc-".length), same ? [same.recorded] : words]];
}

function reducedClass(object: KubeObject): object {
  const { labels = {} } = object.metadata;
  const { scheduling } = object as { scheduling?: { nodeSelector?: object } };
  return {
    handler: object["handler"],
    ...(scheduling?.nodeSelector ? { nodeSelector: scheduling.nodeSelector } : {}),
    ...(Object.keys(labels).length > 0 ? { labels } : {}),
  };
}

const kindOf: Readonly<Record<string, ChildKind>> = {
  "tuned-config": "Tuned",
  "nto-generated-machine-config": "MachineConfig",
  "kubeletconfig-config": "KubeletConfig",
  "nto-generated-kubelet-config": "KubeletConfig",
  "nto-generated-performance-profile-status": "status",
};

/** A derived ConfigMap, with all that is odd about it. */
function childOf(configMap: ConfigMap, all: readonly ConfigMap[], world: ProfileWorld): [string, object][] {
  const { name = "", labels = {}, annotations = {}, ownerReferences = [] } = configMap.metadata;
  const owner = ownerReferences[0];
  const plain = labels[`${prefix}performanceProfileName`];
  if (plain === undefined && !owner) return [];
  const found = Object.keys(kindOf).filter((mark) => labels[`${prefix}${mark}`] === "true");
  const kind = kindOf[found.at(-1) ?? ""] ?? "status";
  const pool = labels[`${prefix}nodePool`] ?? "";
  const { protocol } = world;
  const profile = protocol === "shipped" ? plain : plain?.replace(/-[0-9a-f]{8}$/, "");
  const expected = {
    name: childNames[protocol][kind](owner?.name ?? "", hashed(profile ?? "", pool)),
    marks: marks[protocol][kind],
    label: protocol === "shipped" ? profile : hashed(profile ?? "", pool),
    annotation: `clusters/${pool}`,
    isOwned: true,
  };
  const actual = {
    name,
    marks: found.toSorted(),
    label: plain,
    annotation: annotations[`${prefix}nodePool`],
    isOwned: owner?.controller === true && all.some(({ metadata }) => metadata.uid === owner.uid),
  };
  const isOdd = JSON.stringify(expected) !== JSON.stringify(actual);
  const content = contentOf(configMap, kind, protocol);
  return [[`${owner?.name}/${kind}`, { pool, profile, ...content, ...(isOdd ? { odd: actual } : {}) }]];
}

function contentOf(configMap: ConfigMap, kind: ChildKind, protocol: Protocol): object {
  if (kind === "status") return statusIn(configMap.data?.["status"] ?? "");
  const key = kind === "Tuned" ? (protocol === "shipped" ? "tuning" : "tuned") : "config";
  const { manifests } = readManifests(configMap, [key], [...tunedKinds, ...configKinds]);
  const [object] = manifests.map((one) => one.object as Reduced);
  if (!object) return { raw: configMap.data?.[key] };
  const { name, labels = {} } = object.metadata;
  const { spec } = object;
  if (kind === "Tuned") return { name, priority: spec.recommend?.[0]?.priority, profiles: spec.profile?.length };
  if (kind === "KubeletConfig")
    return {
      name,
      ...(spec.machineConfigPoolSelector ? { selector: spec.machineConfigPoolSelector.matchLabels } : {}),
      reserved: spec.kubeletConfig?.["reservedSystemCPUs"],
      policy: spec.kubeletConfig?.["topologyManagerPolicy"],
    };
  const role = labels["machineconfiguration.openshift.io/role"];
  return {
    name,
    role: role ?? labels,
    files: spec.config?.storage?.files?.length ?? 0,
    units: spec.config?.systemd?.units?.length ?? 0,
    ...(spec.kernelType && spec.kernelType !== "default" ? { kernelType: spec.kernelType } : {}),
  };
}

interface Reduced extends KubeObject {
  readonly spec: {
    readonly recommend?: { priority?: number }[];
    readonly profile?: unknown[];
    readonly machineConfigPoolSelector?: { matchLabels: object };
    readonly kubeletConfig?: Record<string, unknown>;
    readonly kernelType?: string;
    readonly config?: { storage?: { files?: unknown[] }; systemd?: { units?: unknown[] } };
  };
}

interface Status {
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  readonly runtimeClass: string;
  readonly tuned: string;
}

function statusIn(text: string): object {
  let status: Status | null;
  try {
    status = readYaml(text, { tokens: 10_000, characters: 100_000 }) as Status | null;
  } catch (error) {
    if (error instanceof YamlError) return { raw: text };
    throw error;
  }
  if (!status) return { raw: text };
  const { conditions, runtimeClass, tuned } = status;
  const on = conditions.find(({ type, status }) => status === "True" && type !== "Upgradeable");
  const reason = on?.type === "Available" ? {} : { reason: on?.reason };
  return {
    state: on?.type,
    ...reason,
    runtimeClass,
    tuned,
    ...(isTrue(conditions, "Upgradeable") === (on?.type === "Available") ? {} : { odd: conditions }),
  };
}
