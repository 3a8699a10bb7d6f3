import type { Condition } from "../../language/object/condition.ts";
import type { KindRef, KubeObject } from "../../language/object/meta.ts";

export const group = "performance.openshift.io";
export const apiVersion = `${group}/v2`;

/** How the CPUs of a pool's nodes are divided between the system and latency-critical work. Written by users. */
export interface PerformanceProfile extends KubeObject {
  spec?: PerformanceProfileSpec;
  status?: {
    conditions?: Condition[];
    /** The derived Tuned, namespace and name. */
    tuned?: string;
    runtimeClass?: string;
    observedGeneration?: number | undefined;
  };
}

export interface PerformanceProfileSpec {
  cpu?: CpuSpec;
  hardwareTuning?: { isolatedCpuFreq?: number; reservedCpuFreq?: number };
  hugepages?: { defaultHugepagesSize?: string; pages?: HugePage[] | null };
  /** The label of the MachineConfig, which also selects the Tuned's nodes. Default: the role that `nodeSelector` names. */
  machineConfigLabel?: Record<string, string> | null;
  /** Which pools the KubeletConfig is for. Default: the labels of the pool that `nodeSelector` matches. */
  machineConfigPoolSelector?: Record<string, string> | null;
  nodeSelector?: Record<string, string> | null;
  realTimeKernel?: { enabled?: boolean };
  kernelPageSize?: string;
  additionalKernelArgs?: string[] | null;
  numa?: { topologyPolicy?: string };
  net?: { userLevelNetworking?: boolean; devices?: NetDevice[] | null };
  globallyDisableIrqLoadBalancing?: boolean;
  workloadHints?: {
    highPowerConsumption?: boolean;
    /** Default true. */
    realTime?: boolean;
    perPodPowerManagement?: boolean;
    mixedCpus?: boolean;
  };
}

/** Sets of CPUs as Kubernetes writes them: `0-3,8`. */
export interface CpuSpec {
  /** For the system. */
  reserved?: string;
  /** For workloads. */
  isolated?: string;
  /** Whether the scheduler balances load among the isolated ones. Default true. */
  balanceIsolated?: boolean;
  /** Taken offline at boot. */
  offlined?: string;
  /** Shared among workloads that ask for it. */
  shared?: string;
  /** For the poll-mode threads of OVS-DPDK. */
  ovsDpdk?: string;
}

export interface HugePage {
  size?: string;
  count?: number;
  /** NUMA node. Absent: the kernel spreads pages over all nodes at boot. */
  node?: number;
}

export interface NetDevice {
  interfaceName?: string;
  vendorID?: string;
  deviceID?: string;
}

/** Annotations of a profile. */
export const annotations = {
  /** Exactly `true`: nothing derived from the profile is created or changed. */
  pause: `${group}/pause-reconcile`,
  /** `true` or `enable`: packets are steered to the reserved CPUs. */
  rps: `${group}/enable-rps`,
  /** Exactly `true`: also on physical network cards. */
  physicalRps: `${group}/enable-physical-dev-rps`,
  /** `disable`: commands that are run in containers (`kubectl exec`) are not pinned to one CPU. */
  execAffinity: `${group}/exec-cpu-affinity`,
  /** A boolean as Go parses it: dynamic resource allocation, not the kubelet, allocates CPUs and memory. */
  dra: `${group}/dra-resource-management`,
  /** `disable`, in upper or lower case: the kernel balances no load among OVS-DPDK's CPUs. */
  ovsDpdkBalancing: `${group}/cpu-load-balancing-ovs-dpdk`,
  /** Fields of a KubeletConfiguration, as JSON. */
  experimentalKubelet: "kubeletconfig.experimental",
} as const;

/** On objects of `attune render`: names the profile, since there is no owner to refer to yet. */
export const weakOwnerLabel = `${group}/weak-owner-reference-name`;

export const performanceProfileKind: KindRef<PerformanceProfile> = {
  apiVersion,
  kind: "PerformanceProfile",
  plural: "performanceprofiles",
  namespaced: false,
};

/** Of Kubernetes: the class that pods name to run as a profile provides. */
export const runtimeClassKind: KindRef = {
  apiVersion: "node.k8s.io/v1",
  kind: "RuntimeClass",
  plural: "runtimeclasses",
  namespaced: false,
};
