import type { Informer } from "../../../cluster/kube/cache.ts";
import { type GivenProfile, givenProfile } from "../../../domain/node-pool/design/given-profile.ts";
import type { ConfigMap } from "../../../domain/hosted/envelope/read-manifests.ts";
import { nodePoolOf } from "../../../domain/hosted/protocol.ts";
import { type NodePool } from "../../../domain/node-pool/api.ts";
import type { TopicName } from "../../../../console/protocol/topics.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type Follow, followIn, hasNodes, hostedSide, sourceIn } from "./cluster-side.ts";
import { configMapCache } from "./clusters.ts";
import { nodeCache } from "./design-caches.ts";
import { nodePoolCache } from "./rollout.ts";
import type { TopicContext } from "./topic-context.ts";

/** One cluster, as far as profiles of NodePools go. */
export interface NodePoolSide {
  readonly name: string;
  readonly nodePools: Informer<NodePool>;
  readonly nodes: Informer;
  /** Absent: it has no NodePools, and its ConfigMaps are of no use here. */
  configMaps?: Informer<ConfigMap>;
  readonly follow: Follow;
}

/** A NodePool with both of its clusters. */
export interface FoundNodePool {
  readonly nodePool: NodePool;
  readonly management: NodePoolSide;
  /** Absent: it is no cluster of this console, or another NodePool has the same name. */
  readonly hosted: NodePoolSide | undefined;
  /** Its nodes, of those that are seen. */
  readonly nodes: readonly KubeObject[];
  readonly given: GivenProfile | undefined;
}

/** Every cluster of this console. Sources of the cluster that is shown have no name but their kind. */
export function nodePoolSides<Name extends TopicName>(context: TopicContext<Name>): readonly NodePoolSide[] {
  return Array.from(context.clusters.values(), (cluster): NodePoolSide => {
    const isOwn = cluster.name === context.own.name;
    const follow = followIn(context, cluster, (kind) => (isOwn ? kind : sourceIn(cluster.name, kind)));
    return { name: cluster.name, nodePools: follow(nodePoolCache), nodes: follow(nodeCache), follow };
  });
}

/** Follows ConfigMaps once there are NodePools that may refer to them. Returns the caches that are new. */
export function withConfigMaps(sides: readonly NodePoolSide[]): readonly Informer<ConfigMap>[] {
  return sides
    .filter(({ configMaps, nodePools }) => !configMaps && nodePools.list().length > 0)
    .map((side) => (side.configMaps = side.follow(configMapCache)));
}

export function foundNodePools(sides: readonly NodePoolSide[]): readonly FoundNodePool[] {
  const all = sides.flatMap((management) =>
    management.nodePools.list().map((nodePool) => ({ nodePool, management, name: nodePool.metadata.name ?? "" })),
  );
  return all.map(({ nodePool, management, name }) => {
    const isOnly = all.filter((other) => other.name === name).length === 1;
    const hosted = isOnly ? hostedSide(management, sides, (side) => hasNodes(side, name)) : undefined;
    const configMap = (of: string): ConfigMap | undefined =>
      management.configMaps?.get(`${nodePool.metadata.namespace}/${of}`);
    return {
      nodePool,
      management,
      hosted,
      nodes: hosted?.nodes.list().filter((node) => nodePoolOf(node) === name) ?? [],
      given: givenProfile(nodePool, configMap),
    };
  });
}
