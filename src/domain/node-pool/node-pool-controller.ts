import type { Cache, CacheEvent, Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { act } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, type Result, source } from "../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import { keyOf } from "../../language/object/meta.ts";
import { emptyPlan, type PlannedEvent, referenceTo } from "../../language/object/plan.ts";
import type { ConfigMap } from "../hosted/envelope/read-manifests.ts";
import { type HostedProtocol, nodePoolIn, nodePoolOf } from "../hosted/protocol.ts";
import { controlPlaneOf, type HostedCluster, hostedClusterOf, type NodePool, nodePoolKind } from "./api.ts";
import { decideNodePool } from "./decide-node-pool.ts";
import { isForAll, nodePoolsWokenBy } from "./woken-by.ts";

export interface NodePoolCaches {
  /** With `nodePoolIndexes`. */
  readonly nodePools: Informer<NodePool>;
  readonly hostedClusters: Informer<HostedCluster>;
  /** Of all namespaces, with `configMapIndexes`. */
  readonly configMaps: Informer<ConfigMap>;
}

export interface NodePoolOptions {
  readonly client: Client;
  readonly caches: NodePoolCaches;
  readonly protocol: HostedProtocol;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  readonly recorder?: { record(event: PlannedEvent): void } | undefined;
}

const fieldManager = "attune-node-pool";

/** Brings the configuration of each NodePool to its control plane namespace, and reports what became of it. */
export function nodePoolController(options: NodePoolOptions): Controller {
  const { client, caches, protocol, clock, recorder } = options;
  const { nodePools, hostedClusters, configMaps } = caches;
  const written: Record<string, { readonly kind: KindRef; readonly cache: Cache }> = {
    ConfigMap: { kind: kinds.configMap, cache: configMaps },
    NodePool: { kind: nodePoolKind, cache: nodePools },
  };

  const woken = (event: CacheEvent<ConfigMap>): string[] => {
    const both = [event.object, ...("before" in event ? [event.before] : [])];
    return both.flatMap((configMap) => nodePoolsWokenBy(configMap, nodePoolsNear(configMap)));
  };
  const nodePoolsNear = (configMap: ConfigMap): NodePool[] => {
    const { namespace = "" } = configMap.metadata;
    const named = [nodePoolOf(configMap), nodePoolIn(configMap) ?? ""];
    return [
      ...new Set([
        ...nodePools.byIndex("configMap", keyOf(configMap)),
        ...named.flatMap((name) => nodePools.byIndex("pool", `${namespace}/${name}`)),
        ...(isForAll(configMap) ? nodePools.byIndex("controlPlane", namespace) : []),
      ]),
    ];
  };

  return new Controller({
    name: "node-pool",
    clock,
    log: options.log,
    metrics: options.metrics,
    // A NodePool with a failing write must not keep the others waiting.
    concurrency: 10,
    queue: { backoff: { maxMs: 30_000 } },
    sources: [
      source(nodePools, ({ object }) => [keyOf(object)]),
      source(hostedClusters, ({ object }) => nodePools.byIndex("hostedCluster", keyOf(object)).map(keyOf)),
      source(configMaps, woken),
    ],
    async reconcile(key, { signal, log }): Promise<Result | undefined> {
      const nodePool = nodePools.get(key);
      const hostedCluster = nodePool && hostedClusters.get(hostedClusterOf(nodePool));
      // Its creation is an event.
      if (!nodePool || !hostedCluster) return undefined;
      const namespace = controlPlaneOf(nodePool);
      const decision = decideNodePool({
        nodePool,
        hostedCluster,
        configMap: (name) => configMaps.get(`${nodePool.metadata.namespace}/${name}`),
        controlPlane: configMaps.byIndex("namespace", namespace),
        namespace,
        protocol,
        now: clock.now(),
      });
      const plan = {
        ...emptyPlan(),
        objects: [...decision.objects],
        prunes: [...decision.prunes],
        statuses: [{ of: referenceTo(nodePool), status: { ...decision.status } }],
        requeueAfterMs: decision.requeueAfterMs,
      };
      return act(plan, {
        client,
        kinds: (_apiVersion, kind) => written[kind]!.kind,
        observed: (reference) => written[reference.kind]!.cache.get(keyOf(reference)),
        fieldManager,
        recorder,
        signal,
        log,
      });
    },
  });
}
