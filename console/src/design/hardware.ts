import { type PoolNode, poolNodeOf } from "../../../src/domain/performance-profile/pool-node.ts";
import { type Layout, layoutsOf } from "../../../src/domain/performance-profile/findings/layouts.ts";
import type { CpuTopology } from "../../../src/language/cpu/cpu-topology.ts";
import { TopologyReader } from "../../../src/language/cpu/topology-reader.ts";
import type { KubeObject } from "../../../src/language/object/meta.ts";

/** What the nodes of a pool are made of. */
export interface PoolHardware {
  readonly nodes: readonly PoolNode[];
  /** The most usual first. Empty: no agent has reported. */
  readonly layouts: readonly Layout[];
  readonly architecture: string;
}

export function hardwareOf(objects: readonly KubeObject[]): PoolHardware {
  const reports = new Map(objects.filter(({ kind }) => kind === "Profile").map((one) => [one.metadata.name, one]));
  const topologies = new TopologyReader();
  const nodes = objects
    .filter(({ kind }) => kind === "Node")
    .map((node) => poolNodeOf(node, reports.get(node.metadata.name), topologies));
  const layouts = layoutsOf(nodes).toSorted((a, b) => b.nodes.length - a.nodes.length);
  return { nodes, layouts, architecture: nodes[0]?.architecture ?? "amd64" };
}

export interface TypedHardware {
  readonly sockets: number;
  /** Of each socket. */
  readonly cores: number;
  /** Of each core. */
  readonly threads: number;
}

/** A machine as most firmware numbers it: the second threads of all cores after all first ones. One NUMA node a socket. */
export function typedTopology({ sockets, cores, threads }: TypedHardware): CpuTopology {
  const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
  return {
    numaNodes: numbers(sockets).map((socket) => ({
      id: socket,
      cores: numbers(cores).map((core) => ({
        id: core,
        socket,
        cpus: numbers(threads).map((thread) => thread * sockets * cores + socket * cores + core),
      })),
    })),
    offline: [],
  };
}
