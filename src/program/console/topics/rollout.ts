import type { RolloutRow } from "../../../../console/protocol/topics.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { ConfigMap } from "../../../domain/hosted/envelope/read-manifests.ts";
import { type PoolReport, reportMark } from "../../../domain/hosted/handover/pool-report.ts";
import { poolMark } from "../../../domain/hosted/rollout/ordered-pool.ts";
import type { MachineConfigPool } from "../../../domain/machine-config/api.ts";
import { controlPlaneOf, type NodePool, nodePoolKind } from "../../../domain/node-pool/api.ts";
import { nodePoolView, nodePoolWaits } from "../../../domain/node-pool/view/node-pool-view.ts";
import { pauseOf } from "../../../domain/node-pool/pause.ts";
import { reportOn } from "../../../domain/node-pool/reported.ts";
import { Members } from "../../../domain/rollout/members.ts";
import type { RolloutNode } from "../../../domain/rollout/rollout-node.ts";
import { poolView } from "../../../domain/rollout/view/pool-view.ts";
import { keyOf } from "../../../language/object/meta.ts";
import { formatTime } from "../../../language/object/time.ts";
import type { CacheDefinition } from "../user-caches.ts";
import { onChangedFacts } from "./changed-facts.ts";
import { followIn, sourceIn } from "./cluster-side.ts";
import { nodeCache, poolCache } from "./fleet-caches.ts";
import type { TopicContext, UserCluster } from "./topic-context.ts";
import { whoRollsOut } from "./who-rolls-out.ts";

export const nodePoolCache: CacheDefinition<NodePool> = { kind: nodePoolKind };
export const reportCache: CacheDefinition<ConfigMap> = {
  kind: kinds.configMap,
  labelSelector: `${reportMark}=true`,
};

/** One cluster, as far as rollouts go. */
interface Side {
  readonly name: string;
  readonly pools: Informer<MachineConfigPool>;
  readonly nodes: Informer<RolloutNode>;
  readonly nodePools: Informer<NodePool>;
  readonly reports: Informer<ConfigMap>;
  readonly members: Members;
}

/** The pools of the cluster, and NodePools of all clusters: their nodes and who pauses them are in two. */
export function openRollout(context: TopicContext<"rollout">): void {
  const sides = [...context.clusters.values()].map((cluster) => sideOf(context, cluster));
  const caches = sides.flatMap(({ pools, nodes, nodePools, reports }) => [
    pools,
    onChangedFacts(nodes),
    nodePools,
    reports,
  ]);
  let compute = (): void => {};
  const actor = whoRollsOut(context, () => compute());
  context.follow(caches, () => {
    compute = () => {
      const now = context.clock.now();
      const own = sides.filter(({ name }) => name === context.own.name);
      context.replace(
        new Map([
          ...own.flatMap((side) => poolRows(side, now, actor())),
          ...sides.flatMap((side) => nodePoolRows(side, sides, now)),
        ]),
      );
    };
    compute();
  });
}

/** Sources of the other clusters have their names, so that one that is down takes nothing from the others. */
function sideOf(context: TopicContext<"rollout">, cluster: UserCluster): Side {
  const isOwn = cluster.name === context.own.name;
  const follow = followIn(context, cluster, (kind) => (isOwn ? kind : sourceIn(cluster.name, kind)));
  return {
    name: cluster.name,
    pools: follow(poolCache),
    nodes: follow(nodeCache),
    nodePools: follow(nodePoolCache),
    reports: follow(reportCache),
    members: new Members(),
  };
}

type Rows = [string, RolloutRow][];

function poolRows(side: Side, now: number, actor: RolloutRow["actor"]): Rows {
  return side.pools
    .list()
    .filter(({ metadata }) => metadata.labels?.[poolMark] === undefined)
    .map((pool) => {
      const { name = "" } = pool.metadata;
      const view = viewOf(side, pool, now);
      const pause = { kind: "MachineConfigPool" as const, name, cluster: side.name };
      return [`pool/${name}`, { ...view, name, kind: "MachineConfigPool", actor, pause, pausedUntil: "" }];
    });
}

/** With the nodes of the hosted cluster, where this user sees it, and otherwise by what both sides report. */
function nodePoolRows(side: Side, sides: readonly Side[], at: number): Rows {
  return side.nodePools.list().map((nodePool) => {
    const { name = "", namespace = "" } = nodePool.metadata;
    const isPaused = pauseOf(nodePool, at).isPaused;
    const hosted = sides.filter(({ pools }) => pools.get(name)?.metadata.labels?.[poolMark] !== undefined);
    const [there] = hosted.length === 1 ? hosted : [];
    const pool = there?.pools.get(name);
    const seen =
      there && pool
        ? viewOf(there, { ...pool, spec: { ...pool.spec, paused: isPaused } }, at)
        : nodePoolView(nodePool, reportIn(nodePool, side.reports), at);
    const wrong = there ? nodePoolWaits(nodePool) : [];
    const row: RolloutRow = {
      ...seen,
      waits: [...wrong, ...seen.waits],
      state: wrong.length > 0 && seen.state !== "paused" ? "waiting" : seen.state,
      name: keyOf(nodePool),
      kind: "NodePool",
      actor: "Attune",
      pause: { kind: "NodePool", name, namespace, cluster: side.name },
      pausedUntil: isPaused ? (nodePool.spec?.pausedUntil ?? "") : "",
    };
    return [`nodepool/${namespace}/${name}`, row];
  });
}

function viewOf({ members, nodes, pools }: Side, pool: MachineConfigPool, at: number): ReturnType<typeof poolView> {
  members.use(pools.list());
  const redirects = pool.metadata.labels?.[poolMark] !== undefined;
  return poolView({ pool, nodes: members.of(pool.metadata.name ?? "", nodes.list()), redirects, now: formatTime(at) });
}

function reportIn(nodePool: NodePool, reports: Informer<ConfigMap>): PoolReport | undefined {
  const within = reports.list().filter(({ metadata }) => metadata.namespace === controlPlaneOf(nodePool));
  const read = reportOn(nodePool.metadata.name ?? "", within);
  return read?.type === "read" ? read.value : undefined;
}
