import { type ObjectReference, referenceTo } from "../../../language/object/plan.ts";
import type { NodeFacts } from "../../node-tuning/node-profile.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { joinedName } from "../names.ts";
import { isOrder } from "../handover/pool-order.ts";
import { contentOf, keys, nodePoolIn, nodePoolOf } from "../protocol.ts";

/** Label of a ConfigMap that lists the nodes of a NodePool. Its value is of no meaning. */
const membersMark = "rollout.attune.dev/members";
const nodesKey = "nodes";
const longestName = 253;
/** Of all names in one note; a ConfigMap has room for twice as many. */
const longestNote = 500_000;

export const membersConfigMap = (nodePool: string): string => joinedName("nodes", nodePool, longestName);

export function listsMembers({ metadata: { labels = {} } }: Pick<ConfigMap, "metadata">): boolean {
  return Object.hasOwn(labels, membersMark);
}

export interface MembersInput {
  /** Of the hosted cluster. */
  readonly nodes: readonly NodeFacts[];
  /** Of the control plane namespace. */
  readonly configMaps: readonly ConfigMap[];
  /** By name: the NodePools of nodes that a machine provider knows. */
  readonly provided: ReadonlyMap<string, string>;
}

/**
 * Which node belongs to which NodePool. Users of the hosted cluster can change the label of a Node, or create the Node anew, so
 * the label counts once: when a name is seen for the first time. That is noted in the control plane namespace, which they do
 * not reach.
 */
export class PoolMembers {
  #seen: ReadonlyMap<string, string> = new Map();

  /** By the names of nodes. */
  of({ nodes, configMaps, provided }: MembersInput): ReadonlyMap<string, string> {
    const noted = membersIn(configMaps);
    const members = new Map<string, string>();
    for (const node of nodes) {
      const { name = "" } = node.metadata;
      const nodePool = provided.get(name) ?? noted.get(name) ?? this.#seen.get(name) ?? nodePoolOf(node);
      if (nodePool !== "") members.set(name, nodePool);
    }
    this.#seen = members;
    return members;
  }

  /** The NodePool of one node. Undefined: the operator has not seen the node yet. */
  poolOf(
    { metadata: { name = "" } }: Pick<NodeFacts, "metadata">,
    configMaps: readonly ConfigMap[],
  ): string | undefined {
    return this.#seen.get(name) ?? membersIn(configMaps).get(name);
  }
}

function membersIn(configMaps: readonly ConfigMap[]): Map<string, string> {
  const members = new Map<string, string>();
  for (const configMap of configMaps.filter(listsMembers))
    for (const name of namesIn(configMap)) if (!members.has(name)) members.set(name, nodePoolOf(configMap));
  return members;
}

function namesIn({ data = {} }: ConfigMap): string[] {
  const lines = data[nodesKey]?.split("\n") ?? [];
  // Earlier versions wrote the uid of the Node after its name.
  return lines.map((line) => line.split(" ", 1)[0] ?? "").filter((name) => name !== "");
}

export interface MemberNotes {
  readonly wanted: readonly ConfigMap[];
  readonly orphaned: readonly ObjectReference[];
}

/**
 * One ConfigMap for each NodePool with nodes that another ConfigMap, or an earlier note, is about. Users of the hosted cluster
 * can invent NodePools: these have nothing here. The name of a Node that is gone stays until its NodePool is gone too, or a
 * machine provider knows the nodes: a user could create it anew in another NodePool.
 */
export function memberNotes(
  members: ReadonlyMap<string, string>,
  { configMaps, provided, namespace }: Omit<MembersInput, "nodes"> & { readonly namespace: string },
): MemberNotes {
  const notes = configMaps.filter(listsMembers);
  const pools = new Set(configMaps.flatMap((one) => [nodePoolOf(one), nodePoolIn(one)]));
  // Others may outlast the NodePool.
  const ordered = configMaps.filter((one) => isOrder(one) || contentOf(one) === "tuneds");
  const existing = new Set(ordered.flatMap((one) => [nodePoolOf(one), nodePoolIn(one)]));
  const names = new Map<string, Set<string>>();
  const add = (name: string, nodePool: string): void => {
    const others = names.get(nodePool);
    if (others) others.add(name);
    else names.set(nodePool, new Set([name]));
  };
  const noted = membersIn(notes);
  // Those that are noted first: users who create more Nodes than a note has room for must not push them out.
  for (const isNoted of [true, false])
    for (const [name, nodePool] of members) if (pools.has(nodePool) && noted.has(name) === isNoted) add(name, nodePool);
  const known = new Set(provided.values());
  for (const [name, nodePool] of noted)
    if (existing.has(nodePool) && !known.has(nodePool) && !members.has(name)) add(name, nodePool);
  const wanted = Array.from(names, ([nodePool, all]): ConfigMap => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: membersConfigMap(nodePool),
      namespace,
      labels: { [membersMark]: "true", [keys.nodePool]: nodePool },
    },
    data: { [nodesKey]: fitting(all).toSorted().join("") },
  }));
  const written = new Set(wanted.map(({ metadata }) => metadata.name));
  return { wanted, orphaned: notes.filter(({ metadata }) => !written.has(metadata.name)).map(referenceTo) };
}

/** Lines of as many names as fit, the first ones first. */
function fitting(names: Iterable<string>): string[] {
  const lines: string[] = [];
  let left = longestNote;
  for (const name of names) {
    left -= name.length + 1;
    if (left < 0) break;
    lines.push(`${name}\n`);
  }
  return lines;
}
