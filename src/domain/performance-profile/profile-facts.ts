import type { CpuSet } from "../../language/cpu/cpu-set.ts";
import type { JsonObject } from "../../language/object/json.ts";
import type { NetDevice } from "./api.ts";

/** A valid profile: every default is set, every text parsed. */
export interface ProfileFacts {
  readonly name: string;
  readonly nodeSelector: Readonly<Record<string, string>>;
  /** The role that the node selector names: `worker-cnf` of `node-role.kubernetes.io/worker-cnf`. */
  readonly role?: string;
  /** Labels of the MachineConfig, which also select the Tuned's nodes: as given, or the role that the node selector names. */
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
  /** Network cards that get a queue for each reserved CPU; no devices: all cards. Absent: none. */
  readonly userLevelNetworking?: { readonly devices: readonly NetDevice[] };
  /** Interrupts are banned from isolated CPUs always, not only while a pod asks for it. */
  readonly irqsBanned: boolean;
  readonly hints: {
    readonly realTime: boolean;
    readonly highPowerConsumption: boolean;
    readonly perPodPowerManagement: boolean;
    /** As the profile asks; the cluster must allow it too. */
    readonly mixedCpus: boolean;
  };
  /** Which devices steer packets to the reserved CPUs. */
  readonly rps: "none" | "virtual" | "all";
  /** Whether commands that are run in containers are pinned to one CPU. */
  readonly execAffinity: boolean;
  /** Dynamic resource allocation, not the kubelet, allocates CPUs and memory. */
  readonly dra: boolean;
  readonly ovsDpdkPartition: "member" | "isolated";
  /** Fields of a KubeletConfiguration that the author adds. */
  readonly kubelet: JsonObject;
  readonly paused: boolean;
}

export interface CpuPools {
  readonly reserved: CpuPool;
  readonly isolated: CpuPool;
  /** Absent if the profile does not have the field; an empty list is kept. */
  readonly offlined?: CpuPool;
  readonly shared?: CpuPool;
  readonly ovsDpdk?: CpuPool;
}

export interface CpuPool {
  /** As the author wrote it: some files have it verbatim. */
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
