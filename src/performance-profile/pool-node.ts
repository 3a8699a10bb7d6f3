import type { CpuTopology } from "../cpu/cpu-topology.ts";

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
