import type { TopologyText } from "../../language/cpu/topology-text.ts";
import type { Condition } from "../../language/object/condition.ts";
import type { KindRef } from "../../language/object/kind-ref.ts";
import type { KubeObject } from "../../language/object/meta.ts";

export const group = "tuned.openshift.io";
export const apiVersion = `${group}/v1`;

/** Where Tuneds and Profiles live: the namespace that existing manifests name. */
export const tuningNamespace = "openshift-cluster-node-tuning-operator";

/** On a Tuned, and copied to its Profiles: which changes wait for the next restart of the node. */
export const deferredAnnotation = `${group}/deferred`;
export type Deferred = "always" | "update";

/** Any other value means what no annotation means: changes apply at once. */
export function deferredOf({ metadata: { annotations } }: Pick<KubeObject, "metadata">): Deferred | undefined {
  const mode = annotations && Object.hasOwn(annotations, deferredAnnotation) ? annotations[deferredAnnotation] : "";
  return mode === "always" || mode === "update" ? mode : undefined;
}

/** Under the shipped protocol: what a Profile's boot arguments depend on. On a Profile, and copied to the Node. */
export const inputsAnnotation = `${group}/bootcmdline-deps`;
/** Under the shipped protocol: what the node's profile wants of its boot loader. On a Node. */
export const bootArgumentsAnnotation = `${group}/bootcmdline`;
/** On a MachineConfig that is ours to change and to delete. */
export const generatedAnnotation = `${group}/generated-by-controller-version`;

/** How operator and nodes tell each other of boot arguments: in Profiles, or in annotations of Nodes as shipped. */
export type Protocol = "documented" | "shipped";

/** What users write: TuneD profiles, and rules that say which nodes get which. */
export interface Tuned extends KubeObject {
  spec?: TunedSpec;
  status?: { conditions?: Condition[]; observedGeneration?: number };
}

export interface TunedSpec {
  /** Honoured on the Tuned `default` only. */
  managementState?: "Managed" | "Unmanaged" | "Force" | "Removed";
  profile?: ProfileText[] | null;
  recommend?: Recommend[] | null;
}

export interface ProfileText {
  name: string;
  /** INI text. */
  data: string;
}

export interface Recommend {
  profile: string;
  /** The lowest number wins. */
  priority: number;
  match?: Match[] | null;
  machineConfigLabels?: Record<string, string> | null;
  operand?: {
    debug?: boolean;
    verbosity?: number;
    tunedConfig?: TunedConfig;
  };
}

/** True for a node with the label and, where `match` is given, with any of what stands in it. */
export interface Match {
  label?: string;
  value?: string;
  type?: string;
  match?: Match[] | null;
}

export interface TunedConfig {
  reapply_sysctl?: boolean;
}

/** One per node, of the same name: the operator writes spec, the node writes status. */
export interface Profile extends KubeObject {
  spec: ProfileSpec;
  status?: ProfileStatus;
}

export interface ProfileSpec {
  config: {
    tunedProfile: string;
    debug?: boolean;
    verbosity?: number;
    tunedConfig?: TunedConfig;
    providerName?: string;
  };
  profile?: ProfileText[] | null;
}

export interface ProfileStatus {
  tunedProfile: string;
  /** What the profile wants of the boot loader, as one line. Empty: nothing. */
  bootcmdline?: string;
  /** What it was computed from, see inputs.ts. */
  bootcmdlineInputs?: string;
  conditions?: Condition[];
  observedGeneration?: number;
  /** Absent: nobody looked, or could. */
  hardware?: Hardware;
}

/** What a node is made of, as its agent found it. */
export interface Hardware extends TopologyText {
  /** As Kubernetes names it: `amd64`, `arm64`. */
  architecture?: string;
  /** Of the processor, as it names itself: `GenuineIntel`. Some architectures have none. */
  vendor?: string;
  /** Of its counters, by which generations of Intel's are told apart: `icelake`. */
  pmuName?: string;
}

export const tunedKind: KindRef<Tuned> = { apiVersion, kind: "Tuned", plural: "tuneds", namespaced: true };
export const profileKind: KindRef<Profile> = { apiVersion, kind: "Profile", plural: "profiles", namespaced: true };
