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

/** A cluster as far as it is known, wherever it was looked at. */
export interface KnownCluster {
  readonly nodes: readonly KubeObject[];
  /** Absent: it has no such kind. */
  readonly pools?: readonly KubeObject[];
  readonly infrastructure?: KubeObject;
  /** What a node is made of. Looked up only where somebody asks: there may be thousands of nodes. */
  readonly hardware: (node: string) => Promise<Snapshot | undefined>;
  /** What there is to say about where it was looked at. */
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

/** A group whose nodes are known to the last thread, or the names of those that are not. */
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

/** What the kubelet says of the architecture goes before what a snapshot looks like. */
function machineOf({ name, architecture, cpus }: ClusterNode, found: Snapshot): Machine {
  const known = architecture ?? found.architecture;
  return {
    name,
    ...(known === undefined ? {} : { architecture: known }),
    ...(cpus === undefined ? {} : { cpus }),
    topology: found.topology,
  };
}

/** What to do about nodes of which it is not known what they are made of. */
export function notKnown(nodes: readonly string[]): string {
  const [first = ""] = nodes;
  const [word, is] = nodes.length === 1 ? ["node", "is"] : ["nodes", "are"];
  const names = nodes.length > 5 ? `${nodes.slice(0, 5).join(", ")} and ${nodes.length - 5} more` : nodes.join(", ");
  return (
    `it is not known what ${word} ${names} ${is} made of: ` +
    `write a snapshot there with attune agent --sysinfo ${first}.tgz and give it with --snapshot ${first}=${first}.tgz`
  );
}
