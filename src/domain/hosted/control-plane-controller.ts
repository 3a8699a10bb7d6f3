import type { Informer } from "../../cluster/kube/cache.ts";
import type { Client, KindRef } from "../../cluster/kube/client.ts";
import { kinds } from "../../cluster/kube/kinds.ts";
import { act, type ActResult } from "../../cluster/runtime/act/act.ts";
import type { Clock } from "../../cluster/runtime/clock.ts";
import { source, type Source } from "../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import { keyOf } from "../../language/object/meta.ts";
import { emptyPlan, type ObjectReference } from "../../language/object/plan.ts";
import type { ConfigMap } from "./envelope/read-manifests.ts";

/** The namespace of a hosted cluster's control plane in the management cluster. Its ConfigMaps are all that is read and written. */
export interface ControlPlane {
  /** Of the management cluster; writes while this process leads. */
  readonly client: Client;
  readonly namespace: string;
  readonly configMaps: Informer<ConfigMap>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

export const configMapKind = kinds.configMap as KindRef<ConfigMap>;

/** Adds the keys of both versions of a ConfigMap: one of them may have lost its marks. */
export function configMapSource(
  configMaps: Informer<ConfigMap>,
  toKeys: (configMap: ConfigMap) => readonly string[],
): Source<string> {
  return source(configMaps, (event) =>
    event.type === "updated" ? [...toKeys(event.before), ...toKeys(event.object)] : toKeys(event.object),
  );
}

export interface ConfigMapWrites {
  readonly wanted: readonly ConfigMap[];
  readonly orphaned: readonly ObjectReference[];
}

interface Context {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly because: string;
}

export function writeConfigMaps(
  { wanted, orphaned }: ConfigMapWrites,
  { client, configMaps }: Pick<ControlPlane, "client" | "configMaps">,
  { because, ...context }: Context,
): Promise<ActResult> {
  const objects = wanted.map((object) => ({
    owns: "whole" as const,
    object,
    // It would go with an owner that another client gives it.
    ownerless: object.metadata.ownerReferences === undefined,
    because,
  }));
  return act(
    { ...emptyPlan(), objects, prunes: [...orphaned] },
    {
      client,
      kinds: () => configMapKind,
      observed: (reference) => configMaps.get(keyOf(reference)),
      fieldManager: "attune-hosted",
      ...context,
    },
  );
}
