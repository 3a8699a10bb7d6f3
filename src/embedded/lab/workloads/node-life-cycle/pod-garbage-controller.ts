import { isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { forEachBounded } from "../../../../cluster/runtime/for-each-bounded.ts";
import { isFinished } from "../pods/pod-state.ts";
import { byNode } from "../workload-caches.ts";
import type { Pod } from "../workload-objects.ts";
import type { WorkloadOptions } from "../workload-options.ts";
import { decideGoneNode, excessFinished, quarantineMs } from "./decide-pod-garbage.ts";
import { removePod, type Removal } from "./remove-pod.ts";

const countEveryMs = 20_000;
/** Finished pods that are kept: kube-controller-manager's `--terminated-pod-gc-threshold`. */
const mostFinished = 12_500;
const maxConcurrentRemovals = 16;

/** The key of the count of finished pods; the other keys are names of nodes. */
const finishedKey = "";

/** As `system:serviceaccount:kube-system:pod-garbage-collector`. */
export function runPodGarbage({ signal, ...options }: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return podGarbageController(options).run(signal);
}

/** Deletes the pods of deleted nodes, and the oldest finished pods over a number. */
export function podGarbageController({
  client,
  caches,
  clock,
  log,
  metrics,
  keptFinished = mostFinished,
}: WorkloadOptions & { keptFinished?: number | undefined }): Controller {
  const { pods, nodes } = caches;
  const missingSince = new Map<string, number>();
  let countedAt = -Infinity;

  const removeAll = async (garbage: readonly Pod[], removal: Removal, signal: AbortSignal): Promise<void> => {
    const errors: unknown[] = [];
    await forEachBounded(garbage, maxConcurrentRemovals, async (pod) => {
      try {
        await removePod(client, pod, removal, { now: clock.now(), signal });
      } catch (error) {
        errors.push(error);
      }
    });
    if (errors.length > 0) throw errors[0];
  };

  const ofGoneNode = async (name: string, signal: AbortSignal): Promise<Result | undefined> => {
    const monotonic = clock.monotonic();
    const since = missingSince.get(name) ?? monotonic;
    missingSince.set(name, since);
    const exists = nodes.get(name) !== undefined;
    const decision = decideGoneNode({ exists, pods: pods.byIndex(byNode, name), since, monotonic });
    if (decision.type === "wait") return { requeueAfterMs: decision.ms };
    if (decision.type === "remove") {
      // The cache of nodes may be older than that of pods.
      if (await isServed(client, name, signal)) return { requeueAfterMs: quarantineMs };
      const removal = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists", byForce: true };
      await removeAll(decision.pods, removal, signal);
    }
    missingSince.delete(name);
    return undefined;
  };

  const finishedPods = async (signal: AbortSignal): Promise<Result | undefined> => {
    const waitMs = countedAt + countEveryMs - clock.monotonic();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    countedAt = clock.monotonic();
    const removal = { reason: "DeletionByPodGC", message: "PodGC: too many finished pods", byForce: true };
    await removeAll(excessFinished(pods.list(), keptFinished), removal, signal);
    return undefined;
  };

  return new Controller({
    name: "pod-garbage",
    concurrency: 4,
    clock,
    log,
    metrics,
    sources: [
      source(nodes, ({ type, object }) => (type === "deleted" ? [object.metadata.name ?? ""] : [])),
      source(pods, ({ type, object }) => {
        if (type === "deleted") return [];
        const name = object.spec?.nodeName ?? "";
        return [...(name && !nodes.get(name) ? [name] : []), ...(isFinished(object) ? [finishedKey] : [])];
      }),
    ],
    reconcile: (key, { signal }) => (key === finishedKey ? finishedPods(signal) : ofGoneNode(key, signal)),
  });
}

async function isServed(client: Client, node: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(kinds.node, node, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
