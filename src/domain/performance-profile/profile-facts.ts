import type { CpuSet } from "../../language/cpu/cpu-set.ts";
import type { JsonObject } from "../../language/object/json.ts";
import type { NetDevice } from "./api.ts";

/** A profile that was read and can be derived from: every default decided, every text parsed. */
export interface ProfileFacts {
  readonly name: string;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** The role that the node selector names: `worker-cnf` of `node-role.kubernetes.io/worker-cnf`. */
  readonly role?: string;
  /** On the MachineConfig, and what the Tuned goes by: as given, or the role that the node selector names. */
  readonly machineConfigLabels: Readonly<Record<string, string>>;
  /** As given. Absent: the pool's own labels. */
  readonly poolSelector?: Readonly<Record<string, string>>;
  readonly cpus: CpuPools;
  readonly balanceIsolated: boolean;
  /** kHz. */
  readonly frequencies?: { readonly isolated: number; readonly reserved: number };
  readonly hugepages: { readonly defaultSize?: string; readonly pages: readonly HugePages[] };
  readonly kernelType: "default" | "realtime" | "64k-pages";
  readonly additionalKernelArgs: readonly string[];
  readonly topologyPolicy: TopologyPolicy;
  /** Network cards that get a queue for each reserved CPU; no devices: all cards. Absent: none is touched. */
  readonly userLevelNetworking?: { readonly devices: readonly NetDevice[] };
  /** Interrupts are kept off isolated CPUs for good, not pod by pod. */
  readonly irqsBanned: boolean;
  readonly hints: {
    readonly realTime: boolean;
    readonly highPowerConsumption: boolean;
    readonly perPodPowerManagement: boolean;
    /** As the profile asks; whether the cluster grants it is another question. */
    readonly mixedCpus: boolean;
  };
  /** Which devices steer packets to the reserved CPUs. */
  readonly rps: "none" | "virtual" | "all";
  /** Whether commands run in containers keep to one CPU. */
  readonly execAffinity: boolean;
  /** Dynamic resource allocation gives out CPUs and memory, not the kubelet. */
  readonly dra: boolean;
  readonly ovsDpdkPartition: "member" | "isolated";
  /** Fields of a KubeletConfiguration that the author adds. */
  readonly kubelet: JsonObject;
  readonly paused: boolean;
}

export interface CpuPools {
  readonly reserved: CpuPool;
  readonly isolated: CpuPool;
  /** Absent where the profile does not speak of it; it may be there and empty. */
  readonly offlined?: CpuPool;
  readonly shared?: CpuPool;
  readonly ovsDpdk?: CpuPool;
}

export interface CpuPool {
  /** As the author wrote it: some files carry it verbatim. */
  readonly text: string;
  readonly cpus: CpuSet;
}

export interface HugePages {
  readonly size: string;
  readonly sizeKiB: number;
  readonly count: number;
  readonly node?: number;
}

export const topologyPolicies = ["none", "best-effort", "restricted", "single-numa-node"] as const;
export type TopologyPolicy = (typeof topologyPolicies)[number];
