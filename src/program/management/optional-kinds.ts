import type { Client } from "../../cluster/kube/client.ts";
import { ServedKind } from "../../cluster/kube/informer/served-kind.ts";
import { untilCached } from "../../cluster/kube/informer/until-cached.ts";
import { LinkedAbort } from "../../cluster/kube/linked-abort.ts";
import { serviceMonitorKind } from "../../cluster/kube/manifest-kinds.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import { machineDeploymentKind } from "../../domain/node-pool/cluster-api.ts";
import { equal } from "../../language/object/json.ts";

/** What a management cluster may have, or get later. */
export interface OptionalKinds {
  /** Of the Prometheus operator. */
  readonly monitoring: boolean;
  readonly clusterApi: boolean;
}

export const optionalKinds = { monitoring: serviceMonitorKind, clusterApi: machineDeploymentKind } as const;

export interface FollowOptions {
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs with the kinds that the cluster has, and again when these change, until the signal. */
export async function withOptionalKinds(
  { client, signal, clock, log }: FollowOptions,
  run: (kinds: OptionalKinds, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const hooks = { onError: (error: unknown): void => log.warn({ error }, "cannot watch which kinds the cluster has") };
  const monitoring = new ServedKind(client, optionalKinds.monitoring, { clock, hooks });
  const clusterApi = new ServedKind(client, optionalKinds.clusterApi, { clock, hooks });
  const followed = [monitoring.informer, clusterApi.informer];
  const now = (): OptionalKinds => ({ monitoring: monitoring.isServed, clusterApi: clusterApi.isServed });
  const ended = new LinkedAbort(signal);
  const following = Promise.all(followed.map((informer) => informer.run(ended.signal)));
  try {
    await untilCached(followed, () => true, signal);
    while (!signal.aborted) {
      const found = now();
      const current = new LinkedAbort(signal);
      const changed = untilCached(followed, () => !equal(now(), found), current.signal).then(() => current.abort());
      try {
        await run(found, current.signal);
      } finally {
        current.abort();
        await changed;
      }
      if (!signal.aborted) log.info({ ...now() }, "the kinds of the cluster have changed: restarting controllers");
    }
  } finally {
    ended.abort();
    await following;
  }
}
