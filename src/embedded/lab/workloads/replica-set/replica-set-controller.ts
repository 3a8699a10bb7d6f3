import { kinds } from "../../../../cluster/kube/kinds.ts";
import type { Informer } from "../../../../cluster/kube/cache.ts";
import type { KindRef } from "../../../../cluster/kube/client.ts";
import { keyOf, type KubeObject } from "../../../../language/object/meta.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { claim, claims, selectorOf } from "../pods/claim.ts";
import { controllerOf } from "../pods/controller-of.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { Expectations } from "../pods/expectations.ts";
import { createExpected, deleteExpected, type ExpectedWrites } from "../pods/expected-writes.ts";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { isActive, isFinished, isTerminating, untilAvailable } from "../pods/pod-state.ts";
import { textOf } from "../pods/pod-writes.ts";
import { ResyncInterval } from "../resync-interval.ts";
import { byController, type WorkloadCaches } from "../workload-caches.ts";
import type { Pod, ReplicaSet } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { decideReplicas, type ReplicasDecision } from "./decide-replicas.ts";
import { replicaSetStatus } from "./replica-set-status.ts";

/** When 10,000 pods become ready one by one, not every event needs a count of all of them. */
const intervalMsPerPod = 0.1;

/** As `system:serviceaccount:kube-system:replicaset-controller`. */
export function runReplicaSets(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("replicaset-controller", options, (given) => replicaController(given, replicaSetsOnly));
}

/** As `system:serviceaccount:kube-system:replication-controller`. */
export function runReplicationControllers(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("replication-controller", options, (given) => replicaController(given, replicationControllers));
}

/** The kind whose replicas a controller maintains. */
interface Owners {
  readonly name: string;
  readonly kind: KindRef<ReplicaSet>;
  readonly cache: (caches: WorkloadCaches) => Informer<ReplicaSet>;
}

const replicaSetsOnly: Owners = { name: "replica-set", kind: kinds.replicaSet, cache: (caches) => caches.replicaSets };

const replicationControllers: Owners = {
  name: "replication-controller",
  kind: kinds.replicationController as KindRef,
  cache: (caches) => caches.replicationControllers,
};

function replicaController(options: WorkloadControllerOptions, { name, kind, cache }: Owners): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { pods } = caches;
  const replicaSets = cache(caches);
  const isOld = kind.kind === "ReplicationController";
  const expectations = new Expectations(clock);
  const interval = new ResyncInterval(clock, intervalMsPerPod);

  /** Returns the errors of all requests. */
  const carryOut = async (
    replicaSet: ReplicaSet,
    decision: ReplicasDecision,
    writes: ExpectedWrites,
  ): Promise<unknown[]> => {
    const template = replicaSet.spec?.template;
    if (decision.type === "delete") {
      const { errors } = await deleteExpected(decision.pods, replicaSet, writes);
      return errors;
    }
    if (decision.type !== "create" || !template) return [];
    const created = Array.from({ length: decision.count }, () => podFromTemplate(kind, replicaSet, template));
    const { errors } = await createExpected(created, replicaSet, writes);
    return errors;
  };

  /** Pods of all ReplicaSets that the same Deployment owns. */
  const related = (replicaSet: ReplicaSet): Pod[] => {
    const owner = controllerOf(replicaSet);
    const siblings = owner ? replicaSets.byIndex(byController, owner.uid) : [replicaSet];
    return siblings.flatMap(({ metadata }) => pods.byIndex(byController, metadata.uid ?? "")).filter(isActive);
  };

  return new Controller({
    name,
    concurrency: 5,
    clock,
    log,
    metrics,
    sources: [
      source(replicaSets, ({ object }) => [keyOf(object)]),
      dependentsSource(pods, kind, replicaSets, expectations),
    ],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      const replicaSet = replicaSets.get(key);
      if (!replicaSet) {
        expectations.forget(key);
        interval.forget(key);
        return undefined;
      }
      const intervalMs = interval.waitMs(key);
      if (intervalMs > 0) return { requeueAfterMs: intervalMs };
      interval.started(key, pods.byIndex(byController, replicaSet.metadata.uid ?? "").length);
      const settled = expectations.met(key);
      const owner = { ownerKind: kind, owner: replicaSet };
      const active = await claim({ client, ...owner, kind: kinds.pod, from: pods, only: isActive, signal });
      const terminatingPods = pods
        .byIndex(byController, replicaSet.metadata.uid ?? "")
        .filter((pod) => isTerminating(pod) && !isFinished(pod));
      const terminating = claims(replicaSet, selectorOf(replicaSet), terminatingPods).mine.length;
      const decision: ReplicasDecision = settled
        ? decideReplicas({ replicaSet, active, related: related(replicaSet), now: clock.now() })
        : { type: "enough" };
      const errors = await carryOut(replicaSet, decision, { client, recorder, expectations, signal });
      const now = clock.now();
      const failure = errors.length > 0 ? textOf(errors[0]) : undefined;
      const status = replicaSetStatus({
        replicaSet,
        active,
        terminating: isOld ? undefined : terminating,
        failure,
        now,
      });
      // The endpoint ignores the spec, which the cache has in the form of a ReplicaSet.
      const object = isOld ? { ...replicaSet, spec: undefined } : replicaSet;
      const written = await writeStatus<KubeObject>({ client, kind, object, status, signal });
      if (errors.length > 0) throw errors[0];
      if (written === "outdated") return { requeue: true };
      const wait = [untilAvailable(active, replicaSet.spec?.minReadySeconds ?? 0, now), expectations.waitMs(key)];
      const requeueAfterMs = Math.min(...wait.filter((ms) => ms !== undefined));
      return Number.isFinite(requeueAfterMs) ? { requeueAfterMs } : undefined;
    },
  });
}
