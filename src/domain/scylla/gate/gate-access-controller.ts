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
  /** With the label of gates. */
  readonly roles: Informer;
  readonly bindings: Informer;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  readonly metrics?: Metrics | undefined;
}

const written = new Map([
  [kinds.role.kind, kinds.role],
  [kinds.roleBinding.kind, kinds.roleBinding],
]);

/** Lets the gate of each database read its pod and its ConfigMap, and no more. What it writes is deleted with the pod. */
export function gateAccessController({ client, pods, roles, bindings, ...common }: GateAccessOptions): Controller {
  return new Controller({
    ...common,
    name: "scylla-gate-access",
    concurrency: 4,
    sources: [
      source(pods, ({ type, object }) => (type === "deleted" ? [] : [keyOf(object)])),
      source(roles, ({ object }) => podsOf(object)),
      source(bindings, ({ object }) => podsOf(object)),
    ],
    async reconcile(key, { signal, log }): Promise<ActResult | undefined> {
      const pod = pods.get(key);
      if (!pod || pod.metadata.deletionTimestamp) return undefined;
      const objects = gateAccess(pod).map((object) => ({ owns: "fields" as const, object }));
      return act(
        { ...emptyPlan(), objects },
        {
          client,
          kinds: (_, kind) => written.get(kind) ?? kinds.role,
          observed: (reference) => (reference.kind === kinds.role.kind ? roles : bindings).get(keyOf(reference)),
          fieldManager: "attune-operator",
          // A binding needs its role.
          concurrency: 1,
          signal,
          log,
        },
      );
    },
  });
}

/** Keys of the pods that an object is for. */
function podsOf({ metadata }: KubeObject): string[] {
  const { namespace, ownerReferences = [] } = metadata;
  return ownerReferences.map(({ name }) => keyOf({ metadata: { namespace, name } }));
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
