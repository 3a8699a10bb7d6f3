import type { Condition } from "../object/condition.ts";
import type { KubeObject } from "../object/meta.ts";

export const group = "tuned.openshift.io";
export const apiVersion = `${group}/v1`;

/** Where Tuneds and Profiles live: the namespace that existing manifests name. */
export const tuningNamespace = "openshift-cluster-node-tuning-operator";

/** When a change may reach a node: `always` and `update` wait for its next restart. On a Tuned. */
export const deferredAnnotation = `${group}/deferred`;

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
  conditions?: Condition[];
  observedGeneration?: number;
}

/** A kind as clients name it. */
interface Kind<T extends KubeObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly object?: T;
}

export const tunedKind: Kind<Tuned> = { apiVersion, kind: "Tuned", plural: "tuneds", namespaced: true };
export const profileKind: Kind<Profile> = { apiVersion, kind: "Profile", plural: "profiles", namespaced: true };
