import type { CpuTopology } from "../../../../language/cpu/cpu-topology.ts";
import { defaultPools } from "../../pools.ts";
import type { KubeObject } from "../../../../language/object/meta.ts";
import { apiVersion } from "../../api.ts";
import type { PoolNode } from "../../pool-node.ts";
import type { Surroundings } from "../../surroundings.ts";

/** A profile with differences from a valid one, and all its findings. */
export interface Case {
  readonly what: string;
  readonly name?: string;
  /** Fields that replace those of `soundSpec`. */
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Differences from `cluster()`; `plain`: no pools; `none`: no cluster. Default `none`. */
  readonly cluster?: Partial<Surroundings> | "plain" | "none";
  /** Name, field, and a part of the message. */
  readonly finds: readonly (readonly [name: string, field: string, words?: string])[];
}

export const soundSpec = {
  cpu: { reserved: "0,4", isolated: "1-3,5-7" },
  nodeSelector: { "node-role.kubernetes.io/worker": "" },
};

export function profileOf({ name = "low-latency", spec = {}, annotations = {} }: Partial<Case>): KubeObject {
  return {
    apiVersion,
    kind: "PerformanceProfile",
    metadata: { name, annotations: { ...annotations } },
    spec: { ...soundSpec, ...spec },
  };
}

const gibibyte = 1024 * 1024;

/** Two NUMA nodes of `cores` cores with two threads each; the second threads are numbered after all the first ones. */
export function machine({ cores = 2, memory = 16, move = 0 } = {}): CpuTopology {
  const first = (node: number, core: number): number => (node * cores + core + move) % (2 * cores);
  return {
    numaNodes: [0, 1].map((id) => ({
      id,
      memoryKiB: memory * gibibyte,
      cores: Array.from({ length: cores }, (_, core) => ({
        id: core,
        socket: id,
        cpus: [first(id, core), first(id, core) + 2 * cores],
      })),
    })),
    offline: [],
  };
}

export function node(name: string, differing: Partial<PoolNode> = {}): PoolNode {
  return { name, architecture: "amd64", cpus: 8, topology: machine(), ...differing };
}

/** Known by what its kubelet reports, and no more. */
export function counted(name: string, cpus: number): PoolNode {
  return { name, architecture: "amd64", cpus };
}

/** The sound profile suits it. */
export function cluster(differing: Partial<Surroundings> = {}): Surroundings {
  return {
    nodes: [node("worker-0"), node("worker-1")],
    otherProfiles: [],
    pools: defaultPools([]),
    partitioning: "None",
    mixedCpusAllowed: false,
    foreignWorkloads: [],
    ...differing,
  };
}

export function surroundingsOf({ cluster: differing = "none" }: Case): Surroundings | undefined {
  if (differing === "none") return undefined;
  if (differing !== "plain") return cluster(differing);
  const { pools: _, ...others } = cluster();
  return others;
}
