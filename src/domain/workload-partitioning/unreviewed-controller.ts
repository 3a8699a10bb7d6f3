import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client } from "../../cluster/kube/client.ts";
import { createInformer } from "../../cluster/kube/informer/informer.ts";
import { untilCached } from "../../cluster/kube/informer/until-cached.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { LinkedAbort } from "../../cluster/kube/linked-abort.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Runnable } from "../../cluster/runtime/controller/runnable-group.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import type { KubeObject } from "../../language/object/meta.ts";
import type { PlannedEvent } from "../../language/object/plan.ts";
import { partitioningMode } from "./identifier.ts";
import { releases } from "./release.ts";
import { type Unreviewed, unreviewedNode, unreviewedPod } from "./unreviewed.ts";

export interface UnreviewedOptions {
  readonly client: Client;
  /** Of the object that says whether the cluster is partitioned. */
  readonly identifier: Informer;
  readonly recorder: { record(event: PlannedEvent): void };
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Rules agree on which pods they rewrite: what one release left alone, another may not report. */
const release = releases.documented;

/**
 * Reports pods and nodes of a partitioned cluster that were created while the webhook did not answer. All pods are watched, and
 * only these are kept in memory. They are not changed: the requests of a pod cannot be, and a node joins again by itself.
 */
export function unreviewedReport({ client, identifier, recorder, clock, metrics }: UnreviewedOptions): Runnable {
  const gauge = metrics.gauge(
    "attune_partitioning_unreviewed",
    "Pods and nodes of a partitioned cluster that were created while the webhook did not answer.",
    ["kind"],
  );
  const isPartitioned = (): boolean => partitioningMode(identifier.list()[0]) === "AllNodes";
  const watched = [
    { kind: kinds.pod, project: (pod: KubeObject) => unreviewedPod(pod, release) },
    { kind: kinds.node, project: (node: KubeObject) => unreviewedNode(node, release) },
  ];
  const report = async (signal: AbortSignal): Promise<void> => {
    const informers = watched.map(({ kind, project }) =>
      createInformer<KubeObject, Unreviewed>(client, kind, { clock, project }),
    );
    for (const informer of informers)
      informer.subscribe(({ type, object }) => type === "added" && recorder.record(object.event));
    const forget = metrics.onCollect(() => {
      for (const [index, { kind }] of watched.entries())
        gauge.labels({ kind: kind.kind }).set(informers[index]?.list().length ?? 0);
    });
    await Promise.all(informers.map((informer) => informer.run(signal)));
    forget();
    for (const { kind } of watched) gauge.labels({ kind: kind.kind }).set(0);
  };
  return {
    name: "report of unreviewed pods and nodes",
    async run(signal) {
      while (!signal.aborted) {
        await untilCached([identifier], isPartitioned, signal);
        if (signal.aborted) return;
        const partitioned = new LinkedAbort(signal);
        void untilCached([identifier], () => !isPartitioned(), partitioned.signal).then(partitioned.abort);
        await report(partitioned.signal);
      }
    },
  };
}
