import { kinds } from "../../../kube/kinds.ts";
import { keyOf } from "../../../object/meta.ts";
import { Controller, type Result, source } from "../../../runtime/controller.ts";
import { forEachBounded } from "../../../runtime/for-each-bounded.ts";
import { claim, claims, selectorOf } from "../pods/claim.ts";
import { controllerOf } from "../pods/controller-of.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { Expectations } from "../pods/expectations.ts";
import { podFromTemplate } from "../pods/pod-from-template.ts";
import { isActive, isFinished, isTerminating, untilAvailable } from "../pods/pod-state.ts";
import { createPod, deletePod, textOf, type PodWrites } from "../pods/pod-writes.ts";
import { slowStart } from "../pods/slow-start.ts";
import { byController, orphansOf } from "../workload-caches.ts";
import type { Pod, ReplicaSet } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { decideReplicas, type ReplicasDecision } from "./decide-replicas.ts";
import { replicaSetStatus } from "./replica-set-status.ts";

const deletionsAtOnce = 32;

/** As `system:serviceaccount:kube-system:replicaset-controller`. */
export function runReplicaSets(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("replicaset-controller", options, replicaSetController);
}

export function replicaSetController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { pods, replicaSets } = caches;
  const expectations = new Expectations(clock);

  const replace = async (replicaSet: ReplicaSet, decision: ReplicasDecision, writes: PodWrites): Promise<unknown[]> => {
    const key = keyOf(replicaSet);
    const template = replicaSet.spec?.template;
    if (decision.type === "create" && template) {
      expectations.expectCreations(key, decision.count);
      const { attempted, errors } = await slowStart(decision.count, async () => {
        const made = await createPod(podFromTemplate(kinds.replicaSet, replicaSet, template), replicaSet, writes).catch(
          (error: unknown) => {
            expectations.creationObserved(key);
            throw error;
          },
        );
        if (!made) expectations.creationObserved(key);
      });
      for (let skipped = attempted; skipped < decision.count; skipped++) expectations.creationObserved(key);
      return errors;
    }
    const errors: unknown[] = [];
    if (decision.type === "delete") {
      expectations.expectDeletions(
        key,
        decision.pods.map(({ metadata }) => metadata.uid ?? ""),
      );
      await forEachBounded(decision.pods, deletionsAtOnce, async (pod) => {
        const { uid = "" } = pod.metadata;
        try {
          if (!(await deletePod(pod, replicaSet, writes))) expectations.deletionObserved(key, uid);
        } catch (error) {
          expectations.deletionObserved(key, uid);
          errors.push(error);
        }
      });
    }
    return errors;
  };

  /** Pods of all ReplicaSets that the same Deployment owns. */
  const related = (replicaSet: ReplicaSet): Pod[] => {
    const owner = controllerOf(replicaSet);
    const siblings = owner ? replicaSets.byIndex(byController, owner.uid) : [replicaSet];
    return siblings.flatMap(({ metadata }) => pods.byIndex(byController, metadata.uid ?? "")).filter(isActive);
  };

  return new Controller({
    name: "replica-set",
    concurrency: 5,
    clock,
    log,
    metrics,
    sources: [
      source(replicaSets, ({ object }) => [keyOf(object)]),
      dependentsSource(pods, kinds.replicaSet, replicaSets, expectations),
    ],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      const replicaSet = replicaSets.get(key);
      if (!replicaSet) {
        expectations.forget(key);
        return undefined;
      }
      const { uid = "", namespace = "" } = replicaSet.metadata;
      const selector = selectorOf(replicaSet);
      const settled = expectations.met(key);
      const owned = pods.byIndex(byController, uid);
      const active = await claim({
        client,
        ownerKind: kinds.replicaSet,
        owner: replicaSet,
        kind: kinds.pod,
        selector,
        candidates: [...owned, ...pods.byIndex(orphansOf, namespace)].filter(isActive),
        signal,
      });
      const going = owned.filter((pod) => isTerminating(pod) && !isFinished(pod));
      const terminating = claims(replicaSet, selector, going).mine.length;
      const decision: ReplicasDecision = settled
        ? decideReplicas({ replicaSet, active, related: related(replicaSet), now: clock.now() })
        : { type: "enough" };
      const errors = await replace(replicaSet, decision, { client, recorder, signal });
      const now = clock.now();
      const failure = errors.length > 0 ? textOf(errors[0]) : undefined;
      const status = replicaSetStatus({ replicaSet, active, terminating, failure, now });
      const written = await writeStatus(client, kinds.replicaSet, replicaSet, status, { signal });
      if (errors.length > 0) throw errors[0];
      if (written === "outdated") return { requeue: true };
      const wait = [untilAvailable(active, replicaSet.spec?.minReadySeconds ?? 0, now), expectations.waitMs(key)];
      const requeueAfterMs = Math.min(...wait.filter((ms) => ms !== undefined));
      return Number.isFinite(requeueAfterMs) ? { requeueAfterMs } : undefined;
    },
  });
}
