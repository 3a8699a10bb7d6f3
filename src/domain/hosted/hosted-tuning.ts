import type { NodeTuningInput } from "../node-tuning/decide.ts";
import type { ConfigMap } from "./envelope/read-manifests.ts";
import { isOrder, readOrder } from "./handover/pool-order.ts";
import { rememberedTuneds } from "./mirror/last-good.ts";
import type { MirroredTuneds } from "./mirror/mirror-events.ts";
import { mirrorTuneds } from "./mirror/mirror-tuneds.ts";
import { nodeLabels } from "./mirror/node-labels.ts";
import { listsMembers, type PoolMembers } from "./mirror/pool-members.ts";
import { type Mirrored, type MirrorProblem, readingOnce } from "./mirror/read-tuneds.ts";
import { poolScopes } from "./pool-rules.ts";
import { contentOf } from "./protocol.ts";

export interface HostedTuningOptions {
  /** Of Tuneds in the hosted cluster. */
  readonly namespace: string;
  readonly members: PoolMembers;
  /** Called with what cannot be mirrored, at every decision. */
  readonly problems: (problems: readonly MirrorProblem[]) => void;
  /** Called at every decision too. */
  readonly mirrored?: (mirrored: MirroredTuneds) => void;
}

type Found = Pick<NodeTuningInput, "tuneds" | "nodes">;

/** By what node tuning decides in a hosted cluster: Tuneds as ConfigMaps have them, each for the nodes of its NodePool. */
export class HostedTuning {
  readonly #options: HostedTuningOptions;
  readonly #read = readingOnce();
  #lastGood: ReadonlyMap<string, Mirrored> | undefined;

  constructor(options: HostedTuningOptions) {
    this.#options = options;
  }

  /** `found`: in the hosted cluster. `configMaps`: of the control plane namespace. */
  read(found: Found, configMaps: readonly ConfigMap[]): Found & Pick<NodeTuningInput, "mirrored"> {
    const { namespace, members, problems, mirrored } = this.#options;
    const mirror = mirrorTuneds({
      configMaps,
      tuneds: found.tuneds,
      namespace,
      read: this.#read,
      noted: this.#lastGood ? undefined : rememberedTuneds(configMaps, namespace),
      lastGood: this.#lastGood,
    });
    this.#lastGood = mirror.lastGood;
    problems(mirror.problems);
    mirrored?.({ wanted: mirror.lastGood, observed: found.tuneds });
    const known = members.of({ nodes: found.nodes, configMaps, provided: providedNodes(configMaps) });
    const { nodes, objects } = nodeLabels(found.nodes, (node) => known.get(node));
    return {
      tuneds: mirror.tuneds,
      nodes,
      mirrored: {
        scopes: poolScopes(mirror.tuneds, nodes),
        writes: { objects: [...mirror.objects, ...objects], prunes: [...mirror.prunes] },
      },
    };
  }
}

/** Whether a ConfigMap has Tuneds, or says which nodes are in a NodePool. */
export function decidesTuning(configMap: ConfigMap): boolean {
  return contentOf(configMap) === "tuneds" || listsMembers(configMap) || isOrder(configMap);
}

/** By name: the NodePools of nodes that a machine provider knows. */
export function providedNodes(configMaps: readonly ConfigMap[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const configMap of configMaps.filter(isOrder)) {
    const order = readOrder(configMap);
    if (order.type === "read") for (const node of order.value.nodes ?? []) found.set(node, order.value.nodePool.name);
  }
  return found;
}
