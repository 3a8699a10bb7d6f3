import type { Condition } from "../../language/object/condition.ts";
import type { KindRef } from "../../language/object/kind-ref.ts";
import type { KubeObject } from "../../language/object/meta.ts";

export const group = "performance.openshift.io";
export const apiVersion = `${group}/v2`;

/** How a pool's nodes are divided between the system and latency-critical work. What users write, and everybody else reads. */
export interface PerformanceProfile extends KubeObject {
  spec?: PerformanceProfileSpec;
  status?: { conditions?: Condition[]; tuned?: string; runtimeClass?: string };
}

export interface PerformanceProfileSpec {
  cpu?: CpuSpec;
  hardwareTuning?: { isolatedCpuFreq?: number; reservedCpuFreq?: number };
  hugepages?: { defaultHugepagesSize?: string; pages?: HugePage[] | null };
  /** On the MachineConfig, and what the Tuned goes by. Default: the role that `nodeSelector` names. */
  machineConfigLabel?: Record<string, string> | null;
  /** Which pools the KubeletConfig is for. Default: the labels of the pool that `nodeSelector` leads to. */
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
  /** Switched off at boot. */
  offlined?: string;
  /** Shared among workloads that ask for it. */
  shared?: string;
  /** For the poll-mode threads of OVS-DPDK. */
  ovsDpdk?: string;
}

export interface HugePage {
  size?: string;
  count?: number;
  /** NUMA node. Without one the kernel spreads pages at boot. */
  node?: number;
}

export interface NetDevice {
  interfaceName?: string;
  vendorID?: string;
  deviceID?: string;
}

/** What a profile may say in annotations. */
export const annotations = {
  /** Exactly `true`: nothing derived from the profile is created or changed. */
  pause: `${group}/pause-reconcile`,
  /** `true` or `enable`: packets are steered to the reserved CPUs. */
  rps: `${group}/enable-rps`,
  /** Exactly `true`: also on cards that are hardware. */
  physicalRps: `${group}/enable-physical-dev-rps`,
  /** `disable`: commands run in containers keep to no CPU of their own. */
  execAffinity: `${group}/exec-cpu-affinity`,
  /** A truth as Go reads one: dynamic resource allocation, not the kubelet, gives out CPUs and memory. */
  dra: `${group}/dra-resource-management`,
  /** `disable`, in any case: the kernel balances no load among OVS-DPDK's CPUs. */
  ovsDpdkBalancing: `${group}/cpu-load-balancing-ovs-dpdk`,
  /** Fields of a KubeletConfiguration, as JSON. */
  experimentalKubelet: "kubeletconfig.experimental",
} as const;

/** On what `attune render` makes, where there is no owner to refer to yet. */
export const weakOwnerLabel = `${group}/weak-owner-reference-name`;

export const performanceProfileKind: KindRef<PerformanceProfile> = {
  apiVersion,
  kind: "PerformanceProfile",
  plural: "performanceprofiles",
  namespaced: false,
};
