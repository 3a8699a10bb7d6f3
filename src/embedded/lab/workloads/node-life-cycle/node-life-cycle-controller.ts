import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { CacheEvent, Informer } from "../../../../cluster/kube/cache.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import type { Lease } from "../../../../cluster/runtime/leader/lease.ts";
import { byNode } from "../workload-caches.ts";
import type { Node, Pod } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { decideNodeLifeCycle, graceMs } from "./decide-node-life-cycle.ts";
import { Heartbeats } from "./heartbeats.ts";
import { readiness } from "./node-conditions.ts";
import { carryOut, evict } from "./node-writes.ts";

/** The leases in `kube-node-lease` that kubelets renew. */
export interface NodeLeases {
  leases: Informer<Lease>;
}

/** As `system:serviceaccount:kube-system:node-controller`. */
export function runNodeLifeCycle({
  leases,
  ...options
}: WorkloadOptions & NodeLeases & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("node-controller", options, (more) => nodeLifeCycleController({ ...more, leases }));
}

/** The key is a node's name. */
export function nodeLifeCycleController(options: WorkloadControllerOptions & NodeLeases): Controller {
  const { client, caches, leases, recorder, clock, log, metrics } = options;
  const { nodes, pods } = caches;
  const heartbeats = new Heartbeats(clock);

  const isSilent = (name: string): boolean => heartbeats.silentMs(name) >= graceMs;
  const keysOfNode = (event: CacheEvent<Node>): string[] => {
    const { name = "" } = event.object.metadata;
    if (event.type === "deleted") {
      heartbeats.forget(name);
      return [];
    }
    heartbeats.status(event.object);
    // Whether pods are evicted from unready nodes depends on whether any node is ready.
    if (event.type === "updated" && readiness(event.before) !== readiness(event.object))
      return nodes
        .list()
        .flatMap((node) => (readiness(node) === "True" ? [] : [node.metadata.name ?? ""]))
        .concat(name);
    return [name];
  };
  const keysOfLease = (event: CacheEvent<Lease>): string[] => {
    const { name = "" } = event.object.metadata;
    const wasSilent = isSilent(name);
    if (event.type !== "deleted") heartbeats.lease(event.object);
    return wasSilent ? [name] : [];
  };
  const keysOfPod = ({ type, object }: CacheEvent<Pod>): string[] => {
    const name = object.spec?.nodeName;
    const taints = name ? nodes.get(name)?.spec?.taints : undefined;
    return type !== "deleted" && name && taints?.some(({ effect }) => effect === "NoExecute") ? [name] : [];
  };

  return new Controller({
    name: "node-life-cycle",
    concurrency: 8,
    clock,
    log,
    metrics,
    sources: [source(nodes, keysOfNode), source(leases, keysOfLease), source(pods, keysOfPod)],
    async reconcile(name, { signal }): Promise<Result | undefined> {
      const node = nodes.get(name);
      if (!node) return undefined;
      const now = clock.now();
      const plan = decideNodeLifeCycle({
        node,
        pods: pods.byIndex(byNode, name),
        silentMs: heartbeats.silentMs(name),
        anyReady: nodes.list().some((other) => readiness(other) === "True"),
        now,
      });
      const writes = { client, recorder, now, signal };
      try {
        await carryOut(node, plan, writes);
      } catch (error) {
        if (isConflict(error)) return { requeue: true };
        if (isNotFound(error)) return undefined;
        throw error;
      }
      await evict(plan.evict, writes);
      return { requeueAfterMs: plan.requeueAfterMs };
    },
  });
}
