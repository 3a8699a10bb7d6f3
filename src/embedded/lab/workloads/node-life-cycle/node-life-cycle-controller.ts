import { isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { CacheEvent, Informer } from "../../../../cluster/kube/cache.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { formatTime } from "../../../../language/object/time.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { forEachBounded } from "../../../../cluster/runtime/for-each-bounded.ts";
import type { Lease } from "../../../../cluster/runtime/leader/lease.ts";
import { isReady, isTerminating } from "../pods/pod-state.ts";
import { byNode } from "../workload-caches.ts";
import type { Node, Pod } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { Heartbeats } from "./heartbeats.ts";
import { readiness, taintsByCondition, unknownConditions } from "./node-conditions.ts";
import { removePod } from "./remove-pod.ts";
import { evictions } from "./taint-eviction.ts";

/** How long a node may be silent. */
const graceMs = 40_000;
const writesAtOnce = 16;

/** Of `kube-node-lease`: what nodes renew as long as they live. */
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

/** One key a node: is it alive, which taints follow from that, and which pods must leave it. */
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
    // Whether any node is ready decides about those that are not.
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

  const markUnknown = async (node: Node, signal: AbortSignal): Promise<void> => {
    const conditions = unknownConditions(node, clock.now());
    if (conditions.length === 0) return;
    const { name = "", uid } = node.metadata;
    const patch = { type: "strategic", patch: { metadata: { uid }, status: { conditions } } } as const;
    await client.patch(kinds.node, name, patch, { subresource: "status", signal });
    const message = `Node ${name} status is now: NodeNotReady`;
    recorder.record({ regarding: node, type: "Normal", reason: "NodeNotReady", message });
  };

  /** Nobody can say that they are, and services must not send there. */
  const markPodsNotReady = async (there: readonly Pod[], signal: AbortSignal): Promise<void> => {
    const ready = there.filter((pod) => isReady(pod) && !isTerminating(pod));
    await each(ready, async ({ metadata }) => {
      const { name = "", namespace, uid } = metadata;
      const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(clock.now()) };
      const patch = { metadata: { uid }, status: { conditions: [condition] } };
      await client.patch(kinds.pod, name, { type: "strategic", patch }, { namespace, subresource: "status", signal });
    });
  };

  const evict = (evicted: readonly Pod[], signal: AbortSignal): Promise<void> =>
    each(evicted, async (pod) => {
      const { namespace, name } = pod.metadata;
      const message = `Marking for deletion Pod ${namespace}/${name}`;
      recorder.record({ regarding: pod, type: "Normal", reason: "TaintManagerEviction", message });
      const removal = {
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
      };
      await removePod(client, pod, removal, { now: clock.now(), signal });
    });

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
      const there = pods.byIndex(byNode, name);
      const silent = isSilent(name);
      try {
        // What it says is seen again through the cache, and the taints follow from that.
        if (silent) await markUnknown(node, signal);
        if (readiness(node) !== "True") await markPodsNotReady(there, signal);
        // With no node left that is ready, it is more likely we who are cut off.
        const evicts = nodes.list().some((other) => readiness(other) === "True");
        const taints = taintsByCondition(node, { evicts, now: clock.now() });
        if (taints) {
          const { resourceVersion } = node.metadata;
          const patch = { metadata: { resourceVersion }, spec: { taints: taints.length > 0 ? taints : null } };
          await client.patch(kinds.node, name, { type: "merge", patch }, { signal });
        }
      } catch (error) {
        if (isConflict(error)) return { requeue: true };
        if (isNotFound(error)) return undefined;
        throw error;
      }
      const { evict: leaving, nextMs } = evictions(node.spec?.taints ?? [], there, clock.now());
      await evict(leaving, signal);
      const untilSilentMs = silent ? undefined : graceMs - heartbeats.silentMs(name);
      const next = Math.min(nextMs ?? Infinity, untilSilentMs ?? Infinity);
      return Number.isFinite(next) ? { requeueAfterMs: Math.max(1, next) } : undefined;
    },
  });
}

/** All are tried; the first failure is told. */
async function each<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const errors: unknown[] = [];
  await forEachBounded(items, writesAtOnce, async (item) => {
    try {
      await act(item);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) errors.push(error);
    }
  });
  if (errors.length > 0) throw errors[0];
}
