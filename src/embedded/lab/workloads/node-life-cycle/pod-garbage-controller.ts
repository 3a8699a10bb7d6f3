import { isNotFound } from "../../../../cluster/kube/api-error.ts";
import type { Client } from "../../../../cluster/kube/client.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { forEachBounded } from "../../../../cluster/runtime/for-each-bounded.ts";
import { isFinished, isTerminating } from "../pods/pod-state.ts";
import { byNode } from "../workload-caches.ts";
import type { Pod } from "../workload-objects.ts";
import type { WorkloadOptions } from "../workload-options.ts";
import { removePod, type Removal } from "./remove-pod.ts";

/** A node that is gone may come back under its name, and its pods with it. */
const quarantineMs = 40_000;
const countEveryMs = 20_000;
/** Finished pods that are kept for a look at their logs. */
const mostFinished = 12_500;
const removalsAtOnce = 16;

/** Key of what concerns no node. No node is called that. */
const everywhere = "";

/** As `system:serviceaccount:kube-system:pod-garbage-collector`. */
export function runPodGarbage({ signal, ...options }: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return podGarbageController(options).run(signal);
}

/** Removes pods that nobody else will: those of nodes that are gone, and finished ones beyond a number. */
export function podGarbageController({
  client,
  caches,
  clock,
  log,
  metrics,
  keptFinished = mostFinished,
}: WorkloadOptions & { keptFinished?: number }): Controller {
  const { pods, nodes } = caches;
  const missingSince = new Map<string, number>();
  let countedAt = -Infinity;

  const removeAll = async (garbage: readonly Pod[], removal: Removal, signal: AbortSignal): Promise<void> => {
    const errors: unknown[] = [];
    await forEachBounded(garbage, removalsAtOnce, async (pod) => {
      try {
        await removePod(client, pod, removal, { now: clock.now(), signal });
      } catch (error) {
        errors.push(error);
      }
    });
    if (errors.length > 0) throw errors[0];
  };

  const ofGoneNode = async (name: string, signal: AbortSignal): Promise<Result | undefined> => {
    const left = pods.byIndex(byNode, name);
    if (nodes.get(name) || left.length === 0) {
      missingSince.delete(name);
      return undefined;
    }
    const since = missingSince.get(name) ?? clock.monotonic();
    missingSince.set(name, since);
    const waitMs = since + quarantineMs - clock.monotonic();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    // The cache of nodes may be behind that of pods.
    if (await exists(client, name, signal)) return { requeueAfterMs: quarantineMs };
    const removal = { reason: "DeletionByPodGC", message: "PodGC: node no longer exists", byForce: true };
    await removeAll(left, removal, signal);
    missingSince.delete(name);
    return undefined;
  };

  const beyondNumber = async (signal: AbortSignal): Promise<Result | undefined> => {
    const waitMs = countedAt + countEveryMs - clock.monotonic();
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    countedAt = clock.monotonic();
    const finished = pods.list().filter((pod) => isFinished(pod) && !isTerminating(pod));
    const oldest = finished.toSorted((a, b) => (created(a) < created(b) ? -1 : 1));
    const excess = oldest.slice(0, Math.max(0, finished.length - keptFinished));
    await removeAll(
      excess,
      { reason: "DeletionByPodGC", message: "PodGC: too many finished pods", byForce: true },
      signal,
    );
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
        return [...(name && !nodes.get(name) ? [name] : []), ...(isFinished(object) ? [everywhere] : [])];
      }),
    ],
    reconcile: (key, { signal }) => (key === everywhere ? beyondNumber(signal) : ofGoneNode(key, signal)),
  });
}

async function exists(client: Client, node: string, signal: AbortSignal): Promise<boolean> {
  try {
    await client.get(kinds.node, node, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

function created({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? "";
}
