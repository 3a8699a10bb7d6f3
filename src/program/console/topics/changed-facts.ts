import type { CacheEvent, Informer } from "../../../cluster/kube/cache.ts";
import { rolloutFactsOf, type RolloutNode } from "../../../domain/rollout/rollout-node.ts";

/** Nodes, for topics that compute all of their rows anew: a heartbeat is no reason to. */
export function onChangedFacts(nodes: Informer<RolloutNode>): Pick<Informer<RolloutNode>, "subscribe"> {
  const isChange = (event: CacheEvent<RolloutNode>): boolean =>
    event.type !== "updated" || rolloutFactsOf(event.before) !== rolloutFactsOf(event.object);
  return {
    subscribe: (handler) =>
      nodes.subscribe((event) => {
        if (isChange(event)) handler(event);
      }),
  };
}
