import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { act } from "../../../cluster/runtime/act/act.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { emptyPlan, referenceTo } from "../../../language/object/plan.ts";
import { runtimeClassKind } from "../../performance-profile/api.ts";
import type { ConfigMap } from "../envelope/read-manifests.ts";
import { contentOf } from "../protocol.ts";
import { EnvelopeReader } from "./envelope-reader.ts";
import { isProfileConfigMap } from "./read-envelope.ts";
import { isOrphaned } from "./runtime-classes.ts";

export interface OrphanedRuntimeClassOptions {
  /** Of the hosted cluster. */
  readonly client: Client;
  readonly runtimeClasses: Informer;
  /** Of the control plane namespace. */
  readonly configMaps: Informer<ConfigMap>;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
}

/**
 * Removes the RuntimeClasses of profiles that are gone, were renamed, or lost their finalizer while the operator or the hosted
 * cluster was down. A RuntimeClass that several NodePools share goes with the last of them.
 */
export function orphanedRuntimeClassController(options: OrphanedRuntimeClassOptions): Controller {
  const { client, runtimeClasses, configMaps, clock, log, metrics } = options;
  const reader = new EnvelopeReader(configMaps);
  const all = (): string[] => runtimeClasses.list().map(({ metadata }) => metadata.name ?? "");
  return new Controller({
    name: "orphaned-runtime-class",
    clock,
    log,
    metrics,
    sources: [
      source(runtimeClasses, ({ object }) => [object.metadata.name ?? ""]),
      source(configMaps, ({ object }) =>
        isProfileConfigMap(object) || contentOf(object) === "profile" || contentOf(object) === "status" ? all() : [],
      ),
    ],
    async reconcile(name, { signal }) {
      const found = runtimeClasses.get(name);
      if (!found || !isOrphaned(found, reader.all())) return undefined;
      return act(
        { ...emptyPlan(), prunes: [referenceTo(found)] },
        {
          client,
          kinds: () => runtimeClassKind,
          observed: () => found,
          fieldManager: "attune-runtime-class",
          signal,
        },
      );
    },
  });
}
