import type { DesignRow, TopicRows } from "../../../../console/protocol/topics.ts";
import { errorText } from "../../../cluster/runtime/error-text.ts";
import { nodePoolOf } from "../../../domain/hosted/protocol.ts";
import { poolMark } from "../../../domain/hosted/rollout/ordered-pool.ts";
import type { MachineConfigPool } from "../../../domain/machine-config/api.ts";
import { Pools } from "../../../domain/machine-config/pools.ts";
import { poolOfRendering } from "../../../domain/machine-config/rendered-annotations.ts";
import type { PerformanceProfile } from "../../../domain/performance-profile/api.ts";
import { poolFor } from "../../../domain/performance-profile/pools.ts";
import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import { clusterFeatures, rollsOut } from "../../operator/cluster-features.ts";
import { configCache, nodeCache, otherCaches, performanceProfileCache, profileCache } from "./design-caches.ts";
import { poolCache } from "./fleet-caches.ts";
import { openNodePoolDesign } from "./node-pool-design.ts";
import { type FoundNodePool, foundNodePools, nodePoolSides, withConfigMaps } from "./node-pool-sides.ts";
import type { TopicContext } from "./topic-context.ts";

type Rows = Map<string, TopicRows["designs"]>;

/** Pools, NodePools and their profiles to choose from. */
export function openDesigns(context: TopicContext<"designs">): void {
  const pools = context.cache(poolCache);
  const profiles = context.cache(performanceProfileCache);
  const nodes = context.cache(nodeCache);
  const sides = nodePoolSides(context);
  const compute = (): void => {
    const more = withConfigMaps(sides);
    if (more.length > 0) return context.follow(more, compute);
    const found = foundNodePools(sides);
    const members = nodes.list().filter((node) => nodePoolOf(node) !== "");
    context.replace(
      new Map([
        ...poolRows({ pools: pools.list(), profiles: profiles.list(), nodes: nodes.list() }),
        ...found.map(nodePoolRow),
        ...(found.length === 0 && members.length > 0
          ? [["unmanaged", { nodes: members.length }] as [string, TopicRows["designs"]]]
          : []),
      ]),
    );
  };
  context.follow([pools, profiles, nodes, ...sides.flatMap((side) => [side.nodePools, side.nodes])], compute);
}

interface PoolRowsInput {
  readonly pools: readonly MachineConfigPool[];
  readonly profiles: readonly PerformanceProfile[];
  readonly nodes: readonly KubeObject[];
}

/** Without the pools by which a hosted cluster rolls out its NodePools. */
function poolRows({ pools: all, profiles, nodes }: PoolRowsInput): Rows {
  const pools = all.filter(({ metadata }) => metadata.labels?.[poolMark] === undefined);
  const known = new Pools(pools);
  const counts = new Map<string, number>(pools.map(({ metadata }) => [metadata.name ?? "", 0]));
  for (const { metadata } of nodes) {
    const [pool] = known.ofNode(metadata.labels ?? {});
    if (pool !== undefined) counts.set(pool, (counts.get(pool) ?? 0) + 1);
  }
  const divided = new Map<string, string>();
  for (const { metadata, spec } of profiles) {
    const found = poolFor(spec?.nodeSelector ?? {}, pools);
    if (found.type === "pool") divided.set(found.pool.metadata.name ?? "", metadata.name ?? "");
  }
  const rows: Rows = new Map();
  for (const [name, nodes] of counts) {
    const profile = divided.get(name);
    rows.set(`pool/${name}`, { nodes, ...(profile === undefined ? {} : { divided: profile }) });
  }
  for (const profile of profiles) rows.set(`profile/${profile.metadata.name}`, { profile });
  return rows;
}

function nodePoolRow({ nodePool, nodes, given }: FoundNodePool): [string, TopicRows["designs"]] {
  const profile = given && { divided: given.profile.metadata.name ?? "", profile: given.profile };
  return [`pool/${keyOf(nodePool)}`, { nodes: nodes.length, ...profile }];
}

/** What a preview of a profile for one pool depends on: the page computes it. */
export function openDesign(context: TopicContext<"design/">): void {
  // No name of a MachineConfigPool has a slash.
  if (context.argument.includes("/")) return openNodePoolDesign(context);
  const pools = context.cache(poolCache);
  const nodes = context.cache(nodeCache);
  const profiles = context.cache(profileCache);
  const configs = context.cache(configCache);
  const others = [context.cache(performanceProfileCache), ...otherCaches.map((one) => context.cache(one))];
  let isOurs: boolean | undefined;
  context.setSource("discovery", { state: "loading" });
  const discover = async (): Promise<void> => {
    try {
      isOurs = rollsOut(await clusterFeatures(context.client, context.signal));
      context.setSource("discovery", { state: "ready" });
    } catch (error) {
      if (!context.signal.aborted) context.setSource("discovery", { state: "failed", message: errorText(error) });
    }
  };
  void discover();
  context.follow([pools, nodes, profiles, configs, ...others], () => {
    const members = membersOf(context.argument, pools.list(), nodes.list());
    const names = new Set(members.map(({ metadata }) => metadata.name));
    const objects = [
      ...pools.list(),
      ...members,
      ...profiles.list().filter(({ metadata }) => names.has(metadata.name)),
      // Of nodes that have a rendered config it is assumed that they have what their pool wants.
      ...configs.list().filter((config) => poolOfRendering(config) === undefined),
      ...others.flatMap((cache) => cache.list()),
    ];
    const rows = objects.map((object): [string, DesignRow] => [
      `${object.kind}/${object.metadata.namespace ?? ""}/${object.metadata.name}`,
      { object },
    ]);
    const facts = { hasPools: pools.synced, rollsOut: isOurs === true };
    context.replace(new Map([...rows, ["cluster", { facts }]]));
  });
}

/** Of a cluster without pools all nodes are offered. */
function membersOf(
  pool: string,
  pools: readonly MachineConfigPool[],
  nodes: readonly KubeObject[],
): readonly KubeObject[] {
  if (pools.length === 0) return nodes;
  const known = new Pools(pools);
  return nodes.filter(({ metadata }) => known.ofNode(metadata.labels ?? {})[0] === pool);
}
