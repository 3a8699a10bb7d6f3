import type { KubeObject } from "../../language/object/meta.ts";
import type { Protocol } from "../node-tuning/api.ts";
import { hashedProfileName, joinedName, labelLimit } from "./names.ts";

export const group = "hypershift.openshift.io";

/** Labels and annotations of ConfigMaps, Tuneds and Nodes. The value of a label that marks a kind of content is `true`. */
export const keys = {
  /** Label: name of the NodePool; on Nodes too. Annotation: its namespace and name. */
  nodePool: `${group}/nodePool`,
  /** Label of Tuneds in the hosted cluster, and of a profile inside its ConfigMap: name of the NodePool. */
  nodePoolName: `${group}/nodePoolName`,
  /** Label of what is derived from a profile: its name. */
  performanceProfileName: `${group}/performanceProfileName`,
  tunedConfig: `${group}/tuned-config`,
  performanceProfileConfig: `${group}/performanceprofile-config`,
  generatedMachineConfig: `${group}/nto-generated-machine-config`,
  generatedKubeletConfig: `${group}/nto-generated-kubelet-config`,
  profileStatus: `${group}/nto-generated-performance-profile-status`,
  kubeletConfig: `${group}/kubeletconfig-config`,
  containerRuntimeConfig: `${group}/containerruntimeconfig-config`,
  mirroredConfig: `${group}/mirrored-config`,
  coreConfig: `${group}/core-ignition-config`,
  /** Annotation of a HostedControlPlane: namespace and name of its HostedCluster. */
  cluster: `${group}/cluster`,
} as const;

/** Keys that may hold Tuneds and profiles, in ConfigMaps of users and of either column. The first that is there counts. */
export const tuningKeys = ["tuning", "tuned", "config"] as const;
export const configKey = "config";
export const statusKey = "status";

/** Fields of a NodePool that refer to ConfigMaps with Tuneds and profiles. */
export const tuningFields = ["tuningConfig", "tunedConfig", "performanceProfileConfig"] as const;

/** What a ConfigMap of the control plane namespace holds. */
export const contents = ["tuneds", "profile", "machineConfig", "kubeletConfig", "status", "copy"] as const;
export type Content = (typeof contents)[number];

/** A profile in the control plane namespace. */
export interface EmbeddedProfile {
  readonly nodePool: string;
  /** As its author named it. */
  readonly profile: string;
  /** The ConfigMap that its author wrote. */
  readonly from: string;
}

/** Names of what is derived from a profile. */
export interface ChildNames {
  readonly Tuned: string;
  readonly MachineConfig: string;
  readonly KubeletConfig: string;
  readonly status: string;
}

/** Where the source documents and the shipped systems differ. Everything else reads this table. */
export interface HostedProtocol {
  readonly name: Protocol;
  /** The key under which Tuneds and profiles are written. */
  readonly tuningKey: string;
  /** Marks of a generated KubeletConfig. */
  readonly kubeletConfigMarks: readonly string[];
  /** The name that the profile has inside its ConfigMap, and in labels. */
  embeddedName(profile: Omit<EmbeddedProfile, "from">): string;
  profileConfigMap(profile: EmbeddedProfile): string;
  children(profile: EmbeddedProfile): ChildNames;
  /** The same for the profile in this ConfigMap, which may be of either column. */
  childrenOf(configMap: string, profile: Omit<EmbeddedProfile, "from">): ChildNames;
  /** The annotation that names the NodePool of its boot arguments. */
  bootArgumentsPool(namespace: string, nodePool: string): string;
  /** Conditions of a NodePool with a profile: one that tells whether it is applied, or the four of its status. */
  readonly profileConditions: "applied" | "copied";
  /** The label of the role, or a selector for all pools: by which a KubeletConfig is found when a payload is rendered. */
  readonly kubeletConfigBy: "role" | "selector";
}

const documented: HostedProtocol = {
  name: "documented",
  tuningKey: "tuned",
  kubeletConfigMarks: [keys.generatedKubeletConfig],
  embeddedName: ({ profile, nodePool }) => hashedProfileName(profile, nodePool),
  profileConfigMap: ({ nodePool }) => `performanceprofile-${nodePool}`,
  children: (profile) => documented.childrenOf("", profile),
  childrenOf(_configMap, profile) {
    const name = this.embeddedName(profile);
    return {
      Tuned: `tuned-${name}`,
      MachineConfig: `mc-${name}`,
      KubeletConfig: `kc-${name}`,
      status: `${name}-status`,
    };
  },
  bootArgumentsPool: (namespace, nodePool) => `${namespace}/${nodePool}`,
  profileConditions: "applied",
  kubeletConfigBy: "role",
};

const shipped: HostedProtocol = {
  name: "shipped",
  tuningKey: "tuning",
  kubeletConfigMarks: [keys.generatedMachineConfig, keys.kubeletConfig],
  embeddedName: ({ profile }) => profile,
  profileConfigMap: ({ from, nodePool }) => copyName(from, nodePool),
  children: (profile) => shipped.childrenOf(shipped.profileConfigMap(profile), profile),
  childrenOf(name) {
    return {
      Tuned: `tuned-${name}`,
      MachineConfig: `machineconfig-${name}`,
      KubeletConfig: `kubeletconfig-${name}`,
      status: `status-${name}`,
    };
  },
  bootArgumentsPool: (_namespace, nodePool) => nodePool,
  profileConditions: "copied",
  kubeletConfigBy: "selector",
};

export const protocols: Readonly<Record<Protocol, HostedProtocol>> = { documented, shipped };

/** One ConfigMap with all Tuneds of a NodePool. */
export const tunedsConfigMap = (nodePool: string): string => `tuned-${nodePool}`;
/** The MachineConfig with the boot arguments of a NodePool. */
export const bootArgumentsConfigMap = (nodePool: string): string => `nto-mc-${nodePool}`;
/** A copy of a ConfigMap that a NodePool refers to. */
export const copyName = (configMap: string, nodePool: string): string => joinedName(configMap, nodePool, labelLimit);

/** What a ConfigMap holds, by its labels in either column. Undefined: it is of another owner. */
export function contentOf({ metadata: { labels = {} } }: Pick<KubeObject, "metadata">): Content | undefined {
  const has = (key: string): boolean => Object.hasOwn(labels, key) && labels[key] === "true";
  if (has(keys.profileStatus)) return "status";
  if (has(keys.performanceProfileConfig)) return "profile";
  if (has(keys.mirroredConfig)) return "copy";
  if (has(keys.generatedKubeletConfig)) return "kubeletConfig";
  if (has(keys.generatedMachineConfig)) return has(keys.kubeletConfig) ? "kubeletConfig" : "machineConfig";
  return has(keys.tunedConfig) ? "tuneds" : undefined;
}

/** The marks of a ConfigMap that holds this. */
export function marksOf(content: Exclude<Content, "copy">, { kubeletConfigMarks }: HostedProtocol): readonly string[] {
  const marks = {
    tuneds: [keys.tunedConfig],
    profile: [keys.performanceProfileConfig],
    machineConfig: [keys.generatedMachineConfig],
    kubeletConfig: kubeletConfigMarks,
    status: [keys.profileStatus],
  };
  return marks[content];
}

/** Of an annotation with namespace and name, or with a name only. Undefined: there is none. */
export function nodePoolIn({ metadata: { annotations } }: Pick<KubeObject, "metadata">): string | undefined {
  const value = annotations && Object.hasOwn(annotations, keys.nodePool) ? annotations[keys.nodePool] : undefined;
  return value?.slice(value.indexOf("/") + 1);
}

/** By its label. Empty: none. */
export function nodePoolOf({ metadata: { labels } }: Pick<KubeObject, "metadata">): string {
  return (labels && Object.hasOwn(labels, keys.nodePool) ? labels[keys.nodePool] : undefined) ?? "";
}
