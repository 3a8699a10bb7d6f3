import type { Informer } from "../../../cluster/kube/cache.ts";
import type { Client } from "../../../cluster/kube/client.ts";
import { kinds } from "../../../cluster/kube/kinds.ts";
import { act, type ActResult } from "../../../cluster/runtime/act/act.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { Controller, source } from "../../../cluster/runtime/controller/controller.ts";
import type { Log } from "../../../cluster/runtime/log/log.ts";
import type { Metrics } from "../../../cluster/runtime/metrics/metrics.ts";
import { keyOf, type KubeObject } from "../../../language/object/meta.ts";
import { emptyPlan } from "../../../language/object/plan.ts";
import { gateAccess } from "./access.ts";
import { hasGate, type Pod } from "./gated-pod.ts";

export interface GateAccessOptions {
  readonly client: Client;
  /** Pods of databases, as `projectGated` keeps them. */
  readonly pods: Informer<Pod>;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
}

const written = new Map([
  [kinds.role.kind, kinds.role],
  [kinds.roleBinding.kind, kinds.roleBinding],
]);

/** Lets the gate of each database read its pod and its ConfigMap. What it writes is deleted with the pod. */
export function gateAccessController({ client, pods, ...common }: GateAccessOptions): Controller {
  /** Pods that have theirs. The rules are applied once by each operator, also over those of an object that was there. */
  const done = new Set<string>();
  return new Controller({
    ...common,
    name: "scylla-gate-access",
    concurrency: 4,
    sources: [
      source(pods, ({ type, object }) => {
        if (type === "deleted") done.delete(object.metadata.uid ?? "");
        return type === "deleted" ? [] : [keyOf(object)];
      }),
    ],
    async reconcile(key, { signal, log }): Promise<ActResult | undefined> {
      const pod = pods.get(key);
      const uid = pod?.metadata.uid ?? "";
      if (!pod || pod.metadata.deletionTimestamp || done.has(uid)) return undefined;
      const objects = gateAccess(pod).map((object) => ({ owns: "fields" as const, object }));
      const result = await act(
        { ...emptyPlan(), objects },
        {
          client,
          kinds: (_, kind) => written.get(kind) ?? kinds.role,
          observed: () => undefined,
          fieldManager: "attune-operator",
          // A binding needs its role.
          concurrency: 1,
          signal,
          log,
        },
      );
      if (pods.get(key)?.metadata.uid === uid) done.add(uid);
      return result;
    },
  });
}

/** Pods with a gate, and of them what their rights depend on. */
export function projectGated(pod: KubeObject): Pod | undefined {
  const { apiVersion, kind, metadata, spec } = pod as Pod;
  if (!hasGate(pod)) return undefined;
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const kept = { name, namespace, uid, resourceVersion, ...(deletionTimestamp ? { deletionTimestamp } : {}) };
  const account = spec?.serviceAccountName;
  return {
    apiVersion,
    kind,
    metadata: kept,
    spec: { containers: [], ...(account ? { serviceAccountName: account } : {}) },
  };
}
