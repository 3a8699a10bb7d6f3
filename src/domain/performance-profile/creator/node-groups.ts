import type { MachineConfigPool } from "../../machine-config/api.ts";
import { Pools } from "../../machine-config/pools.ts";
import {
  fromLabelSelector,
  type LabelSelector,
  matchesLabels,
  SelectorError,
} from "../../../language/object/label-selector.ts";
import type { ClusterNode } from "./cluster-node.ts";

/** Nodes that a profile can serve together. */
export interface NodeGroup {
  readonly name: string;
  /** A MachineConfigPool; a NodePool of a hosted cluster; a role in other clusters. */
  readonly type: "pool" | "node pool" | "role";
  readonly pool?: MachineConfigPool;
  readonly nodes: readonly ClusterNode[];
}

export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  readonly pools?: readonly MachineConfigPool[];
  /** A hosted cluster: its control plane runs elsewhere. */
  readonly hosted: boolean;
}

export interface NodeGroups {
  /** By name. */
  readonly groups: readonly NodeGroup[];
  readonly notes: readonly GroupNote[];
}

/** Why a node is in no group, or in an unexpected one. */
export interface GroupNote {
  /** Groups that may be expected to have it; empty if unknown. */
  readonly about: readonly string[];
  readonly message: string;
}

const nodePoolLabel = "hypershift.openshift.io/nodePool";
const rolePrefix = "node-role.kubernetes.io/";

export function groupNodes({ nodes, pools, hosted }: Cluster): NodeGroups {
  if (hosted) return { groups: grouped("node pool", nodes, nodePoolsOf), notes: [] };
  return pools?.length ? byPool(nodes, pools) : { groups: grouped("role", nodes, rolesOf), notes: [] };
}

function nodePoolsOf({ labels }: ClusterNode): readonly string[] {
  const pool = labels[nodePoolLabel];
  return pool === undefined ? [] : [pool];
}

function rolesOf({ labels }: ClusterNode): readonly string[] {
  const roles = Object.keys(labels).filter((label) => label.startsWith(rolePrefix));
  return roles.map((label) => label.slice(rolePrefix.length)).filter((role) => role !== "");
}

function grouped(
  type: NodeGroup["type"],
  nodes: readonly ClusterNode[],
  groupsOf: (node: ClusterNode) => readonly string[],
): NodeGroup[] {
  const groups = new Map<string, ClusterNode[]>();
  for (const node of byName(nodes))
    for (const name of groupsOf(node)) {
      const others = groups.get(name);
      if (others) others.push(node);
      else groups.set(name, [node]);
    }
  return byName([...groups].map(([name, members]) => ({ name, type, nodes: members })));
}

/** A node belongs to the pool that configures it, unless it has a NoSchedule taint for that pool's role. */
function byPool(nodes: readonly ClusterNode[], pools: readonly MachineConfigPool[]): NodeGroups {
  const all = new Pools(pools);
  const selectors = new Map(pools.map((pool) => [pool.metadata.name ?? "", selectorOf(pool)]));
  const notes: GroupNote[] = all.problems.map((message) => ({ about: [], message }));
  const members = new Map<string, ClusterNode[]>(pools.map(({ metadata }) => [metadata.name ?? "", []]));
  for (const node of byName(nodes)) {
    if (node.labels["kubernetes.io/os"] === "windows") continue;
    const [primary] = all.ofNode(node.labels);
    const claims = [...selectors].flatMap(([name, of]) => (of && matchesLabels(of, node.labels) ? [name] : []));
    notes.push(...noteOn(node, primary, claims));
    if (primary === undefined) continue;
    const selector = selectors.get(primary);
    const taint = node.taints.find(
      ({ key, value, effect }) => effect === "NoSchedule" && selector && matchesLabels(selector, { [key]: value }),
    );
    if (!taint) members.get(primary)?.push(node);
    else {
      const message = `node ${node.name} is left out of pool ${primary}: its taint ${taint.key} keeps pods away`;
      notes.push({ about: [primary], message });
    }
  }
  const groups = pools.map((pool): NodeGroup => {
    const { name = "" } = pool.metadata;
    return { name, type: "pool", pool, nodes: members.get(name) ?? [] };
  });
  return { groups: byName(groups), notes };
}

function noteOn({ name }: ClusterNode, primary: string | undefined, claims: readonly string[]): GroupNote[] {
  const custom = claims.filter((claim) => claim !== "master" && claim !== "worker").toSorted();
  const names = custom.join(" and ");
  if (primary === undefined && custom.length > 1)
    return [{ about: claims, message: `node ${name} is left out: pools ${names} both select it` }];
  if (primary === "master" && custom.length > 0)
    return [{ about: claims, message: `node ${name} belongs to pool master, although pool ${names} selects it too` }];
  return [];
}

/** An empty selector is a mistake and selects no node. */
function selectorOf({ spec }: MachineConfigPool): LabelSelector | undefined {
  try {
    const selector = fromLabelSelector(spec?.nodeSelector);
    return selector.requirements.length > 0 ? selector : undefined;
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}

function byName<T extends { readonly name: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
