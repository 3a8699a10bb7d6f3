import type { ClustersRow } from "../../../../console/protocol/topics.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { ConfigMap } from "../../../domain/hosted/envelope/read-manifests.ts";
import { revertedReason, revertedTuned } from "../../../domain/hosted/mirror/mirror-events.ts";
import { keys } from "../../../domain/hosted/protocol.ts";
import { controlPlaneOf, type NodePool } from "../../../domain/node-pool/api.ts";
import { projectConfigMap } from "../../../domain/node-pool/node-pool-caches.ts";
import { reportOn } from "../../../domain/node-pool/reported.ts";
import { nodePoolView } from "../../../domain/node-pool/view/node-pool-view.ts";
import { tuningChains } from "../../../domain/node-pool/view/tuning-chains.ts";
import { type Tuned, tunedKind, tuningNamespace } from "../../../domain/node-tuning/api.ts";
import { printable } from "../../../domain/rollout/node-annotations.ts";
import type { RolloutNode } from "../../../domain/rollout/rollout-node.ts";
import { at, text } from "../../../language/object/json.ts";
import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import type { CacheDefinition } from "../user-caches.ts";
import { onChangedFacts } from "./changed-facts.ts";
import { followIn, hasNodes, hostedSide } from "./cluster-side.ts";
import { nodeCache } from "./fleet-caches.ts";
import { nodePoolCache } from "./rollout.ts";
import type { TopicContext, UserCluster } from "./topic-context.ts";

export const configMapCache: CacheDefinition<ConfigMap> = { kind: kinds.configMap, project: projectConfigMap };
const tunedCache: CacheDefinition<Tuned> = {
  kind: tunedKind,
  namespace: tuningNamespace,
  project: ({ apiVersion, kind, metadata: { name, namespace, uid, labels }, spec }) => ({
    apiVersion,
    kind,
    metadata: { name, namespace, uid, ...(labels ? { labels } : {}) },
    ...(spec ? { spec } : {}),
  }),
};
const revertedCache: CacheDefinition<KubeObject> = { kind: kinds.event, fieldSelector: `reason=${revertedReason}` };

interface Side {
  readonly name: string;
  readonly nodePools: Informer<NodePool>;
  readonly configMaps: Informer<ConfigMap>;
  readonly events: Informer;
  readonly tuneds: Informer<Tuned>;
  readonly nodes: Informer<RolloutNode>;
}

/** What became of each ConfigMap that a NodePool refers to, in both clusters. */
export function openClusters(context: TopicContext<"clusters">): void {
  const sides = [...context.clusters.values()].map((cluster) => sideOf(context, cluster));
  const caches = sides.flatMap(({ nodePools, configMaps, events, tuneds, nodes }) => [
    nodePools,
    configMaps,
    events,
    tuneds,
    onChangedFacts(nodes),
  ]);
  context.follow(caches, () => {
    const rows = new Map<string, ClustersRow>();
    for (const side of sides)
      for (const nodePool of side.nodePools.list())
        for (const row of rowsOf(nodePool, side, { sides, now: context.clock.now() })) rows.set(keyOfRow(row), row);
    context.replace(rows);
  });
}

/** One document may have several problems: each is a row. */
function keyOfRow({ nodePool, chain }: ClustersRow): string {
  if (!chain) return `nodepool/${nodePool}`;
  const { configMap, kind, name, state, because } = chain;
  return `chain/${JSON.stringify([nodePool, configMap, kind, name, ...(state === "not valid" ? [because] : [])])}`;
}

function sideOf(context: TopicContext<"clusters">, cluster: UserCluster): Side {
  const follow = followIn(context, cluster);
  return {
    name: cluster.name,
    nodePools: follow(nodePoolCache),
    configMaps: follow(configMapCache),
    events: follow(revertedCache),
    tuneds: follow(tunedCache),
    nodes: follow(nodeCache),
  };
}

function rowsOf(
  nodePool: NodePool,
  side: Side,
  { sides, now }: { readonly sides: readonly Side[]; readonly now: number },
): ClustersRow[] {
  const { name = "", namespace = "" } = nodePool.metadata;
  const controlPlane = side.configMaps.list().filter(({ metadata }) => metadata.namespace === controlPlaneOf(nodePool));
  const hosted = hostedSide(
    side,
    sides,
    (one) =>
      hasNodes(one, name) || one.tuneds.list().some(({ metadata }) => metadata.labels?.[keys.nodePoolName] === name),
  );
  const reverts = revertsIn(side.events.list(), controlPlaneOf(nodePool));
  const report = reportOn(name, controlPlane);
  const { nodes, updated, state, waits } = nodePoolView(
    nodePool,
    report?.type === "read" ? report.value : undefined,
    now,
  );
  const chains = tuningChains({
    nodePool,
    configMap: (of) => side.configMaps.get(`${namespace}/${of}`),
    controlPlane,
    hosted: hosted?.tuneds.list(),
  });
  const common = { nodePool: keyOf(nodePool), management: side.name, hosted: hosted?.name ?? "" };
  const pool = { hostedCluster: nodePool.spec?.clusterName ?? "", nodes, updated, state, waits };
  return [
    { ...common, pool },
    ...chains.map(({ nodePool: _, ...chain }): ClustersRow => {
      const reverted = chain.objects.flatMap((object) => reverts.get(object.replace("Tuned ", "")) ?? [])[0];
      return { ...common, chain, ...(reverted === undefined ? {} : { reverted }) };
    }),
  ];
}

/** By Tuned: when an edit of it was set back last. */
function revertsIn(
  events: readonly KubeObject[],
  namespace: string,
): Map<string, NonNullable<ClustersRow["reverted"]>> {
  const found = new Map<string, NonNullable<ClustersRow["reverted"]>>();
  for (const event of events) {
    const tuned = event.metadata.namespace === namespace ? revertedTuned(text(event["message"])) : undefined;
    if (tuned === undefined) continue;
    const last =
      text(event["lastTimestamp"]) || text(at(event, "series", "lastObservedTime")) || text(event["eventTime"]);
    const before = found.get(tuned);
    const count = Number(event["count"] ?? 1) + (before?.times ?? 0);
    found.set(tuned, { last: printable(before && before.last > last ? before.last : last, 40), times: count });
  }
  return found;
}
