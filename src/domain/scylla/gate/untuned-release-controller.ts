import { isAlreadyExists, isApiError, isNotFound } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, type Result, source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { keyOf } from "../../../language/object/meta.ts";
import type { ScyllaNodeConfig, ScyllaOperatorConfig } from "../api.ts";
import { databaseContainer } from "../names.ts";
import type { PlacedNode } from "../placement.ts";
import type { ScyllaPod } from "../scylla-pod.ts";
import type { ConfigMap } from "./release.ts";
import { responsibilityFor } from "./untuned-release.ts";

export interface UntunedReleaseOptions {
  readonly client: Client;
  /** Databases, as `projectScyllaPod` keeps them, with the index `node`. */
  readonly pods: Informer<ScyllaPod>;
  readonly nodes: Informer<PlacedNode>;
  readonly configs: Informer<ScyllaNodeConfig>;
  readonly operatorConfigs: Informer<ScyllaOperatorConfig>;
  /** Whether the configs are those that decide: before the default one is created, they are not. */
  readonly isReady: (operatorConfig: ScyllaOperatorConfig | undefined) => boolean;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
}

const fieldManager = "attune-scylla";

/** A release that a user deleted comes back after this time, while the database is not ready. */
const repeatMs = 300_000;

/**
 * Lets databases start for which no agent tunes. One key for each pod. ConfigMaps without the label of a config are not cached:
 * what was done is kept for each container of a pod, and done again when the container starts again.
 */
export function untunedReleaseController(options: UntunedReleaseOptions): Controller {
  const { client, pods, nodes, configs, operatorConfigs, isReady, clock } = options;
  const released = new Map<string, { readonly state: string; readonly at: number }>();
  const all = (): string[] => pods.list().map(keyOf);
  return new Controller({
    name: "scylla-untuned-releases",
    concurrency: 8,
    clock,
    log: options.log,
    metrics: options.metrics,
    sources: [
      source(pods, ({ object }) => [keyOf(object)]),
      source(nodes, ({ object }) => pods.byIndex("node", object.metadata.name ?? "").map(keyOf)),
      source(configs, all),
      source(operatorConfigs, all),
    ],
    async reconcile(key, { signal, log }): Promise<Result | undefined> {
      const pod = pods.get(key);
      if (!pod) released.delete(key);
      if (!pod || !isReady(operatorConfigs.list()[0])) return undefined;
      const node = nodes.get(pod.spec?.nodeName ?? "");
      const responsible = responsibilityFor({ pod, node, configs: configs.list() });
      if (responsible.by !== "operator") {
        released.delete(key);
        return undefined;
      }
      const container = pod.status?.containerStatuses?.find(({ name }) => name === databaseContainer);
      const isUp = container?.ready === true;
      const state = JSON.stringify([pod.metadata.uid, container?.containerID, responsible.because]);
      const last = released.get(key);
      if (last?.state !== state || (!isUp && clock.monotonic() - last.at >= repeatMs)) {
        await writeRelease(client, responsible.release, signal);
        if (last?.state !== state) log.info({ pod: key, because: responsible.because }, "database may start");
        released.set(key, { state, at: clock.monotonic() });
      }
      return isUp ? undefined : { requeueAfterMs: repeatMs };
    },
  });
}

/** Lets any container of a pod start. */
export async function writeRelease(client: Client, release: ConfigMap, signal: AbortSignal): Promise<void> {
  const { namespace, name = "" } = release.metadata;
  const at = { namespace, fieldManager, signal };
  try {
    await client.create(kinds.configMap, release, { ...at, ignoreResponse: true });
  } catch (error) {
    if (isGoing(error)) return;
    if (!isAlreadyExists(error)) throw error;
    // An agent may have written it for one container, before it was switched off: now it is for any.
    const data = { containerID: null, irqCpus: null, node: null };
    const { annotations } = release.metadata;
    await client.patch(kinds.configMap, name, { type: "merge", patch: { metadata: { annotations }, data } }, at);
  }
}

/** The namespace is gone, or is being deleted: so is the database. */
function isGoing(error: unknown): boolean {
  if (isNotFound(error)) return true;
  return isApiError(error) && (error.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") ?? false);
}
