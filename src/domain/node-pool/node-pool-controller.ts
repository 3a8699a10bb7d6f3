import { ApiError, ifThere, isNotFound } from "../../cluster/kube/api-error.ts";
import type { CacheEvent, Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { act, ActError, type ActResult } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { Controller, type Result, source } from "../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import { keyOf } from "../../language/object/meta.ts";
import { emptyPlan, type Plan, type PlannedEvent, referenceTo } from "../../language/object/plan.ts";
import type { ConfigMap } from "../hosted/envelope/read-manifests.ts";
import { nodePoolIn, nodePoolOf } from "../hosted/protocol.ts";
import {
  controlPlaneOf,
  type HostedCluster,
  hostedClusterKind,
  hostedClusterOf,
  type NodePool,
  nodePoolKind,
} from "./api.ts";
import { decideNodePool, type NodePoolInput, statusWithoutCluster } from "./decide-node-pool.ts";
import { type Ownership, ownershipOf } from "./hosted-cluster/namespace-ownership.ts";
import { nodePoolEvents } from "./node-pool-events.ts";
import { metadataPatch } from "./node-pool-metadata.ts";
import { hashTaken } from "./hash-taken.ts";
import { hashKeys, nodePoolKeyIn } from "./node-pool-caches.ts";
import { finalizer, planDeletion } from "./rollout/plan-deletion.ts";
import { isForAll, nodePoolsWokenBy } from "./woken-by.ts";

export interface NodePoolCaches {
  /** With `nodePoolIndexes`. */
  readonly nodePools: Informer<NodePool>;
  /** With `hostedClusterIndexes`. */
  readonly hostedClusters: Informer<HostedCluster>;
  readonly namespaces: Informer;
  /** Of all namespaces, with `configMapIndexes`. */
  readonly configMaps: Informer<ConfigMap>;
  /** Those that this controller has made, with `byNamespace`, as the following. */
  readonly secrets: Informer;
  /** Of the kinds of the provider of machines. */
  readonly machines: ReadonlyMap<string, { readonly kind: KindRef; readonly cache: Informer }>;
}

export interface NodePoolOptions extends Pick<
  NodePoolInput,
  "protocol" | "provider" | "digest" | "compress" | "newToken"
> {
  readonly client: Client;
  readonly caches: NodePoolCaches;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
  readonly recorder?: { record(event: PlannedEvent): void } | undefined;
}

type Executed = Result & Partial<Pick<ActResult, "statuses">>;

const fieldManager = "attune-node-pool";

/** Brings the configuration of each NodePool to its control plane namespace, and reports what became of it. */
export function nodePoolController(options: NodePoolOptions): Controller {
  const { client, caches, clock, recorder } = options;
  const { nodePools, hostedClusters, namespaces, configMaps, secrets, machines } = caches;
  const written = new Map<string, { readonly kind: KindRef; readonly cache: Informer }>([
    ["ConfigMap", { kind: kinds.configMap, cache: configMaps }],
    ["Secret", { kind: kinds.secret, cache: secrets }],
    ["NodePool", { kind: nodePoolKind, cache: nodePools }],
    ...machines,
  ]);

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
      // When one is gone, what it kept from another is free.
      source(nodePools, ({ object }) => [keyOf(object), ...withHashOf(object).map(keyOf)]),
      source(hostedClusters, ({ object }) => nodePools.byIndex("hostedCluster", keyOf(object)).map(keyOf)),
      source(namespaces, ({ object }) => nodePools.byIndex("controlPlane", object.metadata.name ?? "").map(keyOf)),
      source(configMaps, woken),
      ...[secrets, ...Array.from(machines.values(), ({ cache }) => cache)].map((cache) =>
        source(cache, ({ object }) => nodePoolKeyIn(object)),
      ),
    ],
    async reconcile(key, { signal, log }): Promise<Result | undefined> {
      const authority = await authorityFor(key, signal);
      // Not before: what is written meanwhile would be taken back.
      const nodePool = nodePools.get(key);
      if (!nodePool) return undefined;
      const { metadata } = nodePool;
      const hostedCluster = hostedClusters.get(hostedClusterOf(nodePool));
      const execute = async (plan: Plan): Promise<Executed> => carryOut(nodePool, plan, { signal, log });
      const ownership = ownershipFor(nodePool);
      if (metadata.deletionTimestamp) return remove(nodePool, hostedCluster, { signal, execute });
      // Their creation is an event.
      if (!hostedCluster) return withoutCluster(nodePool, execute);
      if (ownership.type === "absent") return undefined;
      const decision = decideNodePool({
        ...options,
        ...surroundings(nodePool),
        hostedCluster,
        authority,
        refused: ownership.type === "taken" ? ownership.message : hashTaken(nodePool, withHashOf(nodePool)),
        configMap: (name) => configMaps.get(`${metadata.namespace}/${name}`),
        now: clock.now(),
      });
      const noted = metadataPatch(nodePool, hostedCluster, decision.annotations);
      if (noted) await patch(nodePool, noted, signal);
      const result = await execute({
        ...emptyPlan(),
        objects: [...decision.objects],
        prunes: [...decision.prunes],
        statuses: [{ of: referenceTo(nodePool), status: { ...decision.status } }],
        requeueAfterMs: decision.requeueAfterMs,
      });
      // A status that another client changed meanwhile is decided again.
      if (result.statuses)
        for (const event of nodePoolEvents(nodePool, decision.status.conditions ?? [])) recorder?.record(event);
      return result;
    },
  });

  /** One that had it goes with it. */
  async function withoutCluster(nodePool: NodePool, execute: (plan: Plan) => Promise<Executed>): Promise<undefined> {
    const { kind } = hostedClusterKind;
    if (nodePool.metadata.ownerReferences?.some((owner) => owner.kind === kind)) return;
    const status = { ...statusWithoutCluster(nodePool, clock.now()) };
    await execute({ ...emptyPlan(), statuses: [{ of: referenceTo(nodePool), status }] });
  }

  function withHashOf(nodePool: NodePool): readonly NodePool[] {
    return [...new Set(hashKeys(nodePool).flatMap((key) => nodePools.byIndex("hash", key)))];
  }

  function surroundings(
    nodePool: NodePool,
  ): Pick<NodePoolInput, "nodePool" | "namespace" | "controlPlane" | "named" | "secrets" | "machines"> {
    const namespace = controlPlaneOf(nodePool);
    return {
      nodePool,
      namespace,
      controlPlane: configMaps.byIndex("pool", `${namespace}/${nodePool.metadata.name}`),
      named: (name) => configMaps.get(`${namespace}/${name}`),
      secrets: secrets.byIndex("namespace", namespace),
      machines: [...machines.values()].flatMap(({ cache }) => cache.byIndex("namespace", namespace)),
    };
  }

  /** HyperShift writes it for its server of configurations. */
  async function authorityFor(key: string, signal: AbortSignal): Promise<string | undefined> {
    const nodePool = nodePools.get(key);
    if (!nodePool || !hostedClusters.get(hostedClusterOf(nodePool))?.status?.ignitionEndpoint) return undefined;
    const namespace = controlPlaneOf(nodePool);
    const secret = await ifThere(client.get(kinds.secret, "ignition-server-ca-cert", { namespace, signal }));
    return secret?.data?.["tls.crt"];
  }

  function ownershipFor(nodePool: NodePool): Ownership {
    const name = controlPlaneOf(nodePool);
    const claimants = hostedClusters.byIndex("controlPlane", name);
    return ownershipOf({ key: hostedClusterOf(nodePool), name, namespace: namespaces.get(name), claimants });
  }

  function known(kind: string): { readonly kind: KindRef; readonly cache: Informer } {
    const found = written.get(kind);
    if (!found) throw new TypeError(`NodePools have no ${kind}`);
    return found;
  }

  function carryOut(nodePool: NodePool, plan: Plan, context: { signal: AbortSignal; log: Log }): Promise<Executed> {
    return act(plan, {
      client,
      kinds: (_apiVersion, kind) => known(kind).kind,
      // The decision saw this one, and its annotations may have been written since.
      observed: (of) => (of.kind === nodePoolKind.kind ? nodePool : known(of.kind).cache.get(keyOf(of))),
      fieldManager,
      ...context,
    }).catch((error: unknown) => {
      // The one of a new hosted cluster is created beside this controller.
      if (error instanceof ActError && error.errors.every(isForMissingNamespace)) return { requeue: true };
      if (error instanceof ActError) {
        const { message } = error;
        recorder?.record({ regarding: referenceTo(nodePool), type: "Warning", reason: "ReconcileError", message });
      }
      throw error;
    });
  }

  /** The rest of the deletion is an event of what goes. */
  async function remove(
    nodePool: NodePool,
    hostedCluster: HostedCluster | undefined,
    { signal, execute }: { signal: AbortSignal; execute: (plan: Plan) => Promise<Executed> },
  ): Promise<Result | undefined> {
    if (!nodePool.metadata.finalizers?.includes(finalizer)) return undefined;
    const isTaken = ownershipFor(nodePool).type === "taken";
    const deletion = isTaken ? { remaining: [], prunes: [] } : planDeletion({ ...options, ...surroundings(nodePool) });
    const others = nodePool.metadata.finalizers.filter((name) => name !== finalizer);
    if (deletion.remaining.length === 0) {
      await patch(nodePool, { finalizers: others }, signal);
      return undefined;
    }
    // The operator, which would do it, goes with its hosted cluster, and so does what it keeps there.
    const isAlone = !hostedCluster || hostedCluster.metadata.deletionTimestamp !== undefined;
    for (const { metadata } of isAlone ? surroundings(nodePool).controlPlane : [])
      if (metadata.finalizers?.length && nodePoolOf({ metadata }) === nodePool.metadata.name) {
        const { name = "", namespace } = metadata;
        const freed = { metadata: { finalizers: null } };
        await ifThere(client.patch(kinds.configMap, name, { type: "merge", patch: freed }, { namespace, signal }));
      }
    return execute({ ...emptyPlan(), prunes: [...deletion.prunes] });
  }

  async function patch({ metadata }: NodePool, change: object, signal: AbortSignal): Promise<void> {
    const { name = "", namespace, resourceVersion } = metadata;
    const merge = { type: "merge", patch: { metadata: { resourceVersion, ...change } } } as const;
    await ifThere(client.patch(nodePoolKind, name, merge, { namespace, fieldManager, signal }));
  }
}

function isForMissingNamespace({ cause }: Error): boolean {
  return cause instanceof ApiError && isNotFound(cause) && cause.details?.["kind"] === "namespaces";
}
