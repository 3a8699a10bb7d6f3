import type { Condition } from "../../language/object/condition.ts";
import { type KindRef, type KubeObject } from "../../language/object/meta.ts";
import { group } from "../hosted/protocol.ts";

export const apiVersion = `${group}/v1beta1`;

/** The name of an object in the same namespace. */
export interface LocalReference {
  name?: string;
}

/** Nodes of a hosted cluster that are made, configured and updated in the same way. Written by users. */
export interface NodePool extends KubeObject {
  spec?: {
    /** The HostedCluster, in the same namespace. */
    clusterName?: string;
    release?: { image?: string };
    replicas?: number;
    autoScaling?: { min?: number; max?: number } | null;
    management?: {
      upgradeType?: "Replace" | "InPlace";
      replace?: { strategy?: string; rollingUpdate?: { maxSurge?: number | string; maxUnavailable?: number | string } };
      inPlace?: { maxUnavailable?: number | string };
    };
    /** ConfigMaps with MachineConfigs, KubeletConfigs and the like. */
    config?: LocalReference[] | null;
    /** ConfigMaps with Tuneds and a PerformanceProfile. The three fields mean the same. */
    tuningConfig?: LocalReference[] | null;
    tunedConfig?: LocalReference[] | null;
    performanceProfileConfig?: LocalReference[] | null;
    nodeLabels?: Record<string, string> | null;
    taints?: { key: string; value?: string; effect: string }[] | null;
    /** Such as `30m`; zero is no limit. */
    nodeDrainTimeout?: string;
    nodeVolumeDetachTimeout?: string;
    pausedUntil?: string;
  };
  status?: { version?: string; replicas?: number; conditions?: Condition[] };
}

/** A cluster whose control plane runs in a namespace of the management cluster. */
export interface HostedCluster extends KubeObject {
  spec?: {
    /** Begins the names of what belongs to the cluster. Default: its name. */
    infraID?: string;
    /** Where no HyperShift reports it in the status: the Secret with the kubeconfig of the hosted cluster. */
    kubeconfig?: LocalReference;
    release?: { image?: string };
    pullSecret?: LocalReference;
    additionalTrustBundle?: LocalReference | null;
    networking?: unknown;
    configuration?: {
      proxy?: unknown;
      image?: unknown;
      apiServer?: { tlsSecurityProfile?: unknown } | null;
    } | null;
    capabilities?: { disabled?: string[] | null } | null;
  };
  status?: {
    /** The Secret with the kubeconfig of the hosted cluster, under the key `kubeconfig`. */
    kubeconfig?: LocalReference;
    /** Host and port from which new machines fetch their configuration. */
    ignitionEndpoint?: string;
    version?: { history?: readonly { version?: string; state?: string }[] };
    conditions?: Condition[];
  };
}

export const nodePoolKind: KindRef<NodePool> = { apiVersion, kind: "NodePool", plural: "nodepools", namespaced: true };

export const hostedClusterKind: KindRef<HostedCluster> = {
  apiVersion,
  kind: "HostedCluster",
  plural: "hostedclusters",
  namespaced: true,
};

/** The namespace of the management cluster in which the control plane of a hosted cluster runs. */
export function controlPlaneNamespace(namespace: string, hostedCluster: string): string {
  return `${namespace}-${hostedCluster.replaceAll(".", "-")}`;
}

export function controlPlaneOf({ metadata: { namespace = "" }, spec }: NodePool): string {
  return controlPlaneNamespace(namespace, spec?.clusterName ?? "");
}

/** `namespace/name` of its HostedCluster. */
export function hostedClusterOf({ metadata: { namespace = "" }, spec }: NodePool): string {
  return `${namespace}/${spec?.clusterName}`;
}

/** Whether nodes of the hosted cluster are tuned. */
export function isTuned({ spec }: HostedCluster): boolean {
  return !spec?.capabilities?.disabled?.includes("NodeTuning");
}
