import { isNotFound, isTooManyRequests } from "../../../cluster/kube/api-error.ts";
import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, type Result, source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { keyOf } from "../../../language/object/meta.ts";
import { type PlannedEvent, referenceTo } from "../../../language/object/plan.ts";
import { formatTime } from "../../../language/object/time.ts";
import { type ScyllaNodeConfig, type ScyllaOperatorConfig, scyllaOperatorConfigKind } from "../api.ts";
import { defaultName, gatesAnnotation, releaseName } from "../names.ts";
import type { PlacedNode } from "../placement.ts";
import type { ScyllaPod } from "../scylla-pod.ts";
import { areAllReady, gatesSince, outdatedGates, type StatefulSet } from "./outdated-gates.ts";
import { type ConfigMap, readRelease } from "./release.ts";
import { responsibilityFor } from "./untuned-release.ts";

export interface OutdatedGateOptions {
  readonly client: Client;
  /** Databases, as `projectScyllaPod` keeps them, with the index `namespace`. */
  readonly pods: Informer<ScyllaPod>;
  /** What agents let start. */
  readonly releases: Informer<ConfigMap>;
  readonly nodes: Informer<PlacedNode>;
  readonly configs: Informer<ScyllaNodeConfig>;
  readonly operatorConfigs: Informer<ScyllaOperatorConfig>;
  /** Of the sidecars of new pods. */
  readonly image: string;
  readonly recorder?: { record(event: PlannedEvent): void } | undefined;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
}

const fieldManager = "attune-scylla-gates";
/** A budget, or a database that is not ready, has no event here. */
const askAgainMs = 30_000;

/**
 * Replaces pods of databases whose gate is missing or of another version, after their node was tuned for them: a webhook changes pods only as
 * they are created. One of a namespace at a time, as their PodDisruptionBudgets allow. Where the webhook is of another version still,
 * its pods stay as they are: none restarts twice for one image, whatever becomes of the operator.
 */
export function outdatedGateController(options: OutdatedGateOptions): Controller {
  const { client, pods, releases, nodes, configs, operatorConfigs, image, recorder, clock } = options;
  const namespaceOf = ({ metadata }: KubeObject): string[] => [metadata.namespace ?? ""];
  const all = (): string[] => [...new Set(pods.list().flatMap(namespaceOf))];
  return new Controller({
    name: "scylla-outdated-gates",
    clock,
    log: options.log,
    metrics: options.metrics,
    sources: [
      source(pods, ({ object }) => namespaceOf(object)),
      source(releases, ({ object }) => namespaceOf(object)),
      source(configs, all),
      source(operatorConfigs, all),
    ],
    async reconcile(namespace, { signal, log }): Promise<Result | undefined> {
      const noted = gatesSince(operatorConfigs.list()[0]?.metadata.annotations?.[gatesAnnotation], image);
      // Times have whole seconds: a pod of this second is older.
      const since = noted ?? formatTime(clock.now() + 1000);
      const next = (): ScyllaPod | undefined =>
        outdatedGates({
          pods: pods.byIndex("namespace", namespace),
          isTargeted: (pod) =>
            responsibilityFor({ pod, node: nodes.get(pod.spec?.nodeName ?? ""), configs: configs.list() }).by ===
            "agent",
          releaseOf(pod) {
            const found = releases.get(`${namespace}/${releaseName(pod.metadata.uid ?? "")}`);
            return found && readRelease(found);
          },
          image,
          since,
        })[0];
      if (!next() || operatorConfigs.list().length === 0) return undefined;
      if (noted === undefined) {
        const annotations = { [gatesAnnotation]: `${image} since ${since}` };
        const patch = { type: "merge", patch: { metadata: { annotations } } } as const;
        await client.patch(scyllaOperatorConfigKind, defaultName, patch, { fieldManager, signal });
        return undefined;
      }
      const { items } = await client.list<StatefulSet>(kinds.statefulSet, { namespace, signal });
      const pod = areAllReady(items) ? next() : undefined;
      if (!pod) return { requeueAfterMs: askAgainMs };
      const { name = "", uid } = pod.metadata;
      const eviction = {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name, namespace },
        deleteOptions: { preconditions: { uid } },
      };
      try {
        await client.create<KubeObject>(kinds.pod, eviction, {
          namespace,
          name,
          subresource: "eviction",
          signal,
        });
      } catch (error) {
        if (!isNotFound(error) && !isTooManyRequests(error)) throw error;
        return { requeueAfterMs: askAgainMs };
      }
      log.info({ pod: keyOf(pod) }, "a database restarts to get the gate of this version");
      const message = `it restarts to get the gate of image ${image}`;
      recorder?.record({ regarding: referenceTo(pod), type: "Normal", reason: "GateOutdated", message });
      return { requeueAfterMs: askAgainMs };
    },
  });
}
