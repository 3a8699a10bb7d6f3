import type { CpuTopology } from "../../language/cpu/cpu-topology.ts";
import { TopologyReader } from "../../language/cpu/topology-reader.ts";
import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { approximately, isQuantity, parseQuantity } from "../../language/object/quantity.ts";

/** A node that a profile selects. */
export interface PoolNode {
  readonly name: string;
  /** As Kubernetes names it: `amd64`, `arm64`. */
  readonly architecture?: string;
  /** Number of CPUs that the kubelet reports, without offline ones. */
  readonly cpus?: number;
  /** As the agent reports it. */
  readonly topology?: CpuTopology;
}

/** From a Node and its Profile of node tuning. Invalid values are left out. */
export function poolNodeOf(node: KubeObject, profile?: KubeObject, topologies = new TopologyReader()): PoolNode {
  const architecture = at(node, "status", "nodeInfo", "architecture");
  const cpus = cpusOf(at(node, "status", "capacity", "cpu"));
  const topology = topologies.read(at(profile, "status", "hardware"));
  return {
    name: node.metadata.name ?? "",
    ...(typeof architecture === "string" && architecture !== "" ? { architecture } : {}),
    ...(cpus === undefined ? {} : { cpus }),
    ...(topology ? { topology } : {}),
  };
}

function cpusOf(capacity: unknown): number | undefined {
  const text = typeof capacity === "number" ? String(capacity) : capacity;
  const cpus = typeof text === "string" && isQuantity(text) ? approximately(parseQuantity(text)) : 0;
  return Number.isInteger(cpus) && cpus > 0 ? cpus : undefined;
}
