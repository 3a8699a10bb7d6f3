import { at } from "../../../language/object/json.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import {
  type ClusterNode,
  readClusterNode,
  readPool,
} from "../../../domain/performance-profile/creator/cluster-node.ts";
import type { Machine } from "../../../domain/performance-profile/creator/compare-hardware.ts";
import type { Cluster, NodeGroup } from "../../../domain/performance-profile/creator/node-groups.ts";
import type { Snapshot } from "../../../node/snapshot/read-snapshot.ts";

/** What is known of a cluster, whether it was read from a must-gather, from its API server or from snapshots. */
export interface KnownCluster {
  readonly nodes: readonly KubeObject[];
  /** Absent: the cluster has no MachineConfigPools. */
  readonly pools?: readonly KubeObject[] | undefined;
  readonly infrastructure?: KubeObject | undefined;
  /** The hardware of a node. Read on demand: there may be thousands of nodes. */
  readonly hardware: (node: string) => Promise<Snapshot | undefined>;
  /** Problems of the source that do not prevent its use. */
  readonly warnings: readonly string[];
}

export function clusterOf({ nodes, pools, infrastructure }: KnownCluster): Cluster {
  return {
    nodes: nodes.map(readClusterNode),
    ...(pools ? { pools: pools.map(readPool) } : {}),
    hosted: isHosted(infrastructure),
  };
}

/** Whether the control plane runs elsewhere. */
export function isHosted(infrastructure: KubeObject | undefined): boolean {
  return at(infrastructure, "status", "controlPlaneTopology") === "External";
}

/** The hardware of all nodes of a group, or the names of the nodes whose hardware is unknown. */
export type KnownMachines =
  | { readonly type: "machines"; readonly machines: readonly Machine[] }
  | { readonly type: "unknown"; readonly nodes: readonly string[] };

export async function machinesOf({ nodes }: NodeGroup, { hardware }: KnownCluster): Promise<KnownMachines> {
  const machines: Machine[] = [];
  const unknown: string[] = [];
  for (const node of nodes) {
    const found = await hardware(node.name);
    if (found) machines.push(machineOf(node, found));
    else unknown.push(node.name);
  }
  return unknown.length > 0 ? { type: "unknown", nodes: unknown } : { type: "machines", machines };
}

/** The architecture that the kubelet reports wins over the one that a snapshot suggests. */
function machineOf({ name, architecture, cpus }: ClusterNode, found: Snapshot): Machine {
  const known = architecture ?? found.architecture;
  return {
    name,
    ...(known === undefined ? {} : { architecture: known }),
    ...(cpus === undefined ? {} : { cpus }),
    topology: found.topology,
  };
}

export function unknownHardware(nodes: readonly string[]): string {
  const names = nodes.length > 5 ? `${nodes.slice(0, 5).join(", ")} and ${nodes.length - 5} more` : nodes.join(", ");
  const [first = ""] = nodes;
  return (
    `hardware of ${nodes.length === 1 ? "node" : "nodes"} ${names} is unknown: install the agents, ` +
    `or pass --snapshot ${first}=FILE with a file that attune agent --sysinfo FILE wrote on the node`
  );
}
