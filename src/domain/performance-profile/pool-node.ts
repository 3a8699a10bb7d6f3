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
  /** Memory that the kubelet reports as its capacity: that of /proc/meminfo when it started. */
  readonly memoryKiB?: number;
  /** As the agent reports it. */
  readonly topology?: CpuTopology;
}

/** From a Node and its Profile of node tuning. Invalid values are left out. */
export function poolNodeOf(node: KubeObject, profile?: KubeObject, topologies = new TopologyReader()): PoolNode {
  const architecture = at(node, "status", "nodeInfo", "architecture");
  const cpus = cpusOf(at(node, "status", "capacity", "cpu"));
  const memoryKiB = kibibytesOf(at(node, "status", "capacity", "memory"));
  const topology = topologies.read(at(profile, "status", "hardware"));
  return {
    name: node.metadata.name ?? "",
    ...(typeof architecture === "string" && architecture !== "" ? { architecture } : {}),
    ...(cpus === undefined ? {} : { cpus }),
    ...(memoryKiB === undefined ? {} : { memoryKiB }),
    ...(topology ? { topology } : {}),
  };
}

function cpusOf(capacity: unknown): number | undefined {
  const cpus = amountOf(capacity);
  return Number.isInteger(cpus) && cpus > 0 ? cpus : undefined;
}

function kibibytesOf(capacity: unknown): number | undefined {
  const kibibytes = Math.floor(amountOf(capacity) / 1024);
  return kibibytes > 0 ? kibibytes : undefined;
}

function amountOf(capacity: unknown): number {
  const text = typeof capacity === "number" ? String(capacity) : capacity;
  return typeof text === "string" && isQuantity(text) ? approximately(parseQuantity(text)) : 0;
}
