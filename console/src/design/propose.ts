import { readClusterNode, readPool } from "../../../src/domain/performance-profile/creator/cluster-node.ts";
import type { Machine } from "../../../src/domain/performance-profile/creator/compare-hardware.ts";
import { createProfile } from "../../../src/domain/performance-profile/creator/create-profile.ts";
import { groupNodes } from "../../../src/domain/performance-profile/creator/node-groups.ts";
import { poolNodeOf } from "../../../src/domain/performance-profile/pool-node.ts";
import type { ClusterState } from "../../../src/domain/plan/plan-changes.ts";
import type { Proposal, ProposeInput } from "./domain-protocol.ts";

/** A profile for the nodes of a pool, from their hardware, as `attune profile create` makes it. */
export function propose({ choices, pool, isNodePool, assumed }: ProposeInput, cluster: ClusterState): Proposal {
  const pools = cluster.tuning.pools?.map(readPool);
  const nodes = cluster.nodes.map(readClusterNode);
  const group = isNodePool
    ? { name: pool, type: "node pool" as const, nodes }
    : groupNodes({ nodes, hosted: false, ...(pools ? { pools } : {}) }).groups.find(({ name }) => name === pool);
  if (!group) return { type: "refused", reasons: [`the cluster has no pool ${pool}`] };
  const reports = new Map(cluster.profiles?.map((profile) => [profile.metadata.name, profile]));
  const objects = new Map(cluster.nodes.map((node) => [node.metadata.name, node]));
  const known = group.nodes.flatMap(({ name }): Machine[] => {
    const node = objects.get(name);
    const found = node && poolNodeOf(node, reports.get(name));
    return found?.topology ? [{ ...found, topology: found.topology }] : [];
  });
  const machines = assumed ? [{ name: "assumed", topology: assumed }] : known;
  if (machines.length === 0)
    return { type: "refused", reasons: [`no node of pool ${pool} has reported its hardware: type it`] };
  const created = createProfile({ choices, group, machines, pools });
  return created.type === "refused"
    ? created
    : { type: "proposed", profile: created.profile, warnings: created.warnings };
}
