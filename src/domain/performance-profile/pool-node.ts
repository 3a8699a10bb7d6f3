import type { CpuTopology } from "../../language/cpu/cpu-topology.ts";
import { TopologyReader } from "../../language/cpu/topology-reader.ts";
import { at } from "../../language/object/json.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import { approximately, isQuantity, parseQuantity } from "../../language/object/quantity.ts";

/** A node that a profile selects, as far as its author must know it. */
export interface PoolNode {
  readonly name: string;
  /** As Kubernetes names it: `amd64`, `arm64`. */
  readonly architecture?: string;
  /** How many CPUs the kubelet counts. Those that are switched off are not among them. */
  readonly cpus?: number;
  /** As the node's agent found it. */
  readonly topology?: CpuTopology;
}

/** From a Node and the Profile of node tuning that is its own. What makes no sense is not known. */
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
