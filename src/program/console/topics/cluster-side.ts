import type { TopicName } from "../../../../console/protocol/topics.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import { nodePoolOf } from "../../../domain/hosted/protocol.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import type { CacheDefinition } from "../user-caches.ts";
import type { TopicContext, UserCluster } from "./topic-context.ts";

/** The name of a source that several clusters have: one that is down takes nothing from the others. */
export function sourceIn(cluster: string, kind: string): string {
  return `${kind} of ${cluster}`;
}

export type Follow = <T extends KubeObject, P extends KubeObject>(definition: CacheDefinition<T, P>) => Informer<P>;

/** Caches of one of several clusters. */
export function followIn<Name extends TopicName>(
  context: TopicContext<Name>,
  cluster: UserCluster,
  name = (kind: string): string => sourceIn(cluster.name, kind),
): Follow {
  return (definition) => context.cache(definition, { cluster, source: name(definition.kind.kind) });
}

/** The other cluster that has what a NodePool brings. Of several with one name nobody knows which it is. */
export function hostedSide<Side>(
  management: Side,
  sides: readonly Side[],
  has: (side: Side) => boolean,
): Side | undefined {
  const found = sides.filter((side) => side !== management && has(side));
  return found.length === 1 ? found[0] : undefined;
}

export function hasNodes({ nodes }: { readonly nodes: Pick<Informer, "list"> }, nodePool: string): boolean {
  return nodes.list().some((node) => nodePoolOf(node) === nodePool);
}
