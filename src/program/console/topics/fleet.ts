import { fleetPools, isSameForRows } from "../../../domain/fleet/fleet-pools.ts";
import { fleetRow, isTunable } from "../../../domain/fleet/fleet-row.ts";
import { tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { nodeCache, poolCache, profileCache } from "./fleet-caches.ts";
import type { TopicContext } from "./topic-context.ts";

/** One row for each node, computed anew when its Node or its Profile changes; all of them when a pool changes what rows say. */
export function openFleet(context: TopicContext<"fleet">): void {
  const nodes = context.cache(nodeCache);
  const profiles = context.cache(profileCache);
  const pools = context.cache(poolCache);
  let known = fleetPools([]);
  let isSettled = false;

  const update = (name: string): void => {
    const node = nodes.get(name);
    if (!node || !isTunable(node)) return context.set(name, undefined);
    const { name: _, ...row } = fleetRow({ node, profile: profiles.get(`${tuningNamespace}/${name}`), pools: known });
    context.set(name, row);
  };
  const updateAll = (): void => {
    known = fleetPools(pools.list());
    for (const { metadata } of nodes.list()) update(metadata.name ?? "");
  };
  // Until all are listed, a node without its Profile only seems to have none.
  context.whenSettled(() => {
    isSettled = true;
    updateAll();
  });
  for (const cache of [nodes, profiles])
    cache.subscribe(({ object }) => {
      if (isSettled) update(object.metadata.name ?? "");
    });
  pools.subscribe((event) => {
    if (isSettled && !(event.type === "updated" && isSameForRows(event.object, event.before))) updateAll();
  });
}
