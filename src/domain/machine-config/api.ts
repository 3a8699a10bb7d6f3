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
  };
  status?: { conditions?: Condition[] };
}

/** A part of the configuration of a pool's nodes. */
export interface MachineConfig extends KubeObject {
  spec?: {
    kernelArguments?: string[] | null;
    /** `default`, `realtime` or `64k-pages`. */
    kernelType?: string;
    extensions?: string[] | null;
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
  };
  status?: { conditions?: Condition[] };
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

export const kubeletConfigKind: KindRef<KubeletConfig> = {
  apiVersion,
  kind: "KubeletConfig",
  plural: "kubeletconfigs",
  namespaced: false,
};
