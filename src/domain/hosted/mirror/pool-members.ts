import { type ObjectReference, referenceTo } from "../../../language/object/plan.ts";
import type { NodeFacts } from "../../node-tuning/node-profile.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { joinedName } from "../names.ts";
import { keys, nodePoolIn, nodePoolOf } from "../protocol.ts";

/** Label of a ConfigMap that lists the nodes of a NodePool. Its value is of no meaning. */
const membersMark = "rollout.attune.dev/members";
const nodesKey = "nodes";
const longestName = 253;

export interface Member {
  /** Of the Node: a machine that comes back under the name of another one is a new node. */
  readonly uid: string;
  readonly nodePool: string;
}

export function listsMembers({ metadata: { labels = {} } }: ConfigMap): boolean {
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
 * Which node belongs to which NodePool. Users of the hosted cluster can change the label of a Node, so it counts once: when a
 * node is seen for the first time. That is noted in the control plane namespace, which they do not reach.
 */
export class PoolMembers {
  #seen: ReadonlyMap<string, Member> = new Map();

  /** By the names of nodes. */
  of({ nodes, configMaps, provided }: MembersInput): ReadonlyMap<string, Member> {
    const noted = membersIn(configMaps);
    const members = new Map<string, Member>();
    for (const node of nodes) {
      const { name = "", uid = "" } = node.metadata;
      const given = provided.get(name);
      const known = [noted.get(name), this.#seen.get(name)].find((one) => one?.uid === uid);
      const nodePool = given ?? known?.nodePool ?? nodePoolOf(node);
      if (nodePool !== "") members.set(name, { uid, nodePool });
    }
    this.#seen = members;
    return members;
  }

  /** The NodePool of one node. Undefined: the operator has not seen the node yet. */
  poolOf(
    { metadata: { name = "", uid } }: Pick<NodeFacts, "metadata">,
    configMaps: readonly ConfigMap[],
  ): string | undefined {
    const member = this.#seen.get(name) ?? membersIn(configMaps).get(name);
    return member?.uid === uid ? member?.nodePool : undefined;
  }
}

function membersIn(configMaps: readonly ConfigMap[]): Map<string, Member> {
  const members = new Map<string, Member>();
  for (const configMap of configMaps.filter(listsMembers))
    for (const line of configMap.data?.[nodesKey]?.split("\n") ?? []) {
      const [name = "", uid = ""] = line.split(" ");
      if (name !== "" && !members.has(name)) members.set(name, { uid, nodePool: nodePoolOf(configMap) });
    }
  return members;
}

export interface MemberNotes {
  readonly wanted: readonly ConfigMap[];
  readonly orphaned: readonly ObjectReference[];
}

/**
 * One ConfigMap for each NodePool with nodes that another ConfigMap, or an earlier note, is about. Users of the hosted cluster
 * can invent NodePools: these have nothing here.
 */
export function memberNotes(
  members: ReadonlyMap<string, Member>,
  configMaps: readonly ConfigMap[],
  namespace: string,
): MemberNotes {
  const lines = new Map<string, string[]>();
  const pools = new Set(configMaps.flatMap((one) => [nodePoolOf(one), nodePoolIn(one)]));
  for (const [name, { uid, nodePool }] of members) {
    if (!pools.has(nodePool)) continue;
    const known = lines.get(nodePool);
    if (known) known.push(`${name} ${uid}\n`);
    else lines.set(nodePool, [`${name} ${uid}\n`]);
  }
  const wanted = Array.from(lines, ([nodePool, all]): ConfigMap => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: joinedName("nodes", nodePool, longestName),
      namespace,
      labels: { [membersMark]: "true", [keys.nodePool]: nodePool },
    },
    data: { [nodesKey]: all.toSorted().join("") },
  }));
  const names = new Set(wanted.map(({ metadata }) => metadata.name));
  const orphaned = configMaps.filter((one) => listsMembers(one) && !names.has(one.metadata.name)).map(referenceTo);
  return { wanted, orphaned };
}
