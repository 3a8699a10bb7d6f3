import type { Condition } from "../../language/object/condition.ts";
import type { LabelSelectorObject } from "../../language/object/label-selector.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";

export const group = "machineconfiguration.openshift.io";
export const apiVersion = `${group}/v1`;

/** On a MachineConfig: the role by which pools select it. */
export const roleLabel = `${group}/role`;

/** A group of nodes with the same configuration: the nodes it selects get every MachineConfig it selects. */
export interface MachineConfigPool extends KubeObject {
  spec?: {
    nodeSelector?: LabelSelectorObject | null;
    machineConfigSelector?: LabelSelectorObject | null;
    paused?: boolean;
    /** A number of nodes, or a percentage such as `10%`. Default 1. */
    maxUnavailable?: number | string | null;
    /** The operating system of the pool's nodes, by name, where the cluster offers several. */
    osImageStream?: { name?: string };
    /** The rendered config that the nodes should have; written by the operator that renders. */
    configuration?: PoolConfiguration;
  };
  status?: {
    observedGeneration?: number;
    /** The last rendered config that every node had. */
    configuration?: PoolConfiguration;
    machineCount?: number;
    updatedMachineCount?: number;
    readyMachineCount?: number;
    unavailableMachineCount?: number;
    degradedMachineCount?: number;
    conditions?: Condition[];
  };
}

/** A rendered config, and the MachineConfigs that it was made of. */
export interface PoolConfiguration {
  name?: string;
  source?: { apiVersion?: string; kind?: string; name?: string }[];
}

/** A part of the configuration of a pool's nodes. */
export interface MachineConfig extends KubeObject {
  spec?: {
    kernelArguments?: string[] | null;
    /** `default`, `realtime` or `64k-pages`. */
    kernelType?: string;
    extensions?: string[] | null;
    fips?: boolean;
    osImageURL?: string;
    baseOSExtensionsContainerImage?: string;
    /** Ignition, as `src/language/ignition` reads and writes it. Other owners may use any version. */
    config?: unknown;
  };
}

/** Configuration of the kubelets of some pools. */
export interface KubeletConfig extends KubeObject {
  spec?: {
    machineConfigPoolSelector?: LabelSelectorObject | null;
    /** A KubeletConfiguration; absent fields keep their defaults. */
    kubeletConfig?: unknown;
    logLevel?: number;
    autoSizingReserved?: boolean;
    tlsSecurityProfile?: unknown;
  };
  status?: { observedGeneration?: number; conditions?: Condition[] };
}

/** Configuration of the container runtimes of some pools. */
export interface ContainerRuntimeConfig extends KubeObject {
  spec?: {
    machineConfigPoolSelector?: LabelSelectorObject | null;
    containerRuntimeConfig?: {
      pidsLimit?: number;
      logLevel?: string;
      logSizeMax?: string | number;
      overlaySize?: string | number;
      defaultRuntime?: string;
      additionalLayerStores?: { path: string }[];
      additionalImageStores?: { path: string }[];
      additionalArtifactStores?: { path: string }[];
    };
  };
  status?: { observedGeneration?: number; conditions?: Condition[] };
}

export const machineConfigKind: KindRef<MachineConfig> = {
  apiVersion,
  kind: "MachineConfig",
  plural: "machineconfigs",
  namespaced: false,
};

export const machineConfigPoolKind: KindRef<MachineConfigPool> = {
  apiVersion,
  kind: "MachineConfigPool",
  plural: "machineconfigpools",
  namespaced: false,
};

/** Inputs of the machine config operator. The object exists where that operator runs; the kind may be left over. */
export const controllerConfigKind: KindRef = {
  apiVersion,
  kind: "ControllerConfig",
  plural: "controllerconfigs",
  namespaced: false,
};
export const controllerConfigName = "machine-config-controller";

export const kubeletConfigKind: KindRef<KubeletConfig> = {
  apiVersion,
  kind: "KubeletConfig",
  plural: "kubeletconfigs",
  namespaced: false,
};

export const containerRuntimeConfigKind: KindRef<ContainerRuntimeConfig> = {
  apiVersion,
  kind: "ContainerRuntimeConfig",
  plural: "containerruntimeconfigs",
  namespaced: false,
};
