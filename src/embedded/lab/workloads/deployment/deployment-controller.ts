import { isAlreadyExists, isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { claim } from "../pods/claim.ts";
import { controllerOf, isControlledBy } from "../pods/controller-of.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { isNamespaceGoing, textOf } from "../pods/pod-writes.ts";
import { byController } from "../workload-caches.ts";
import type { Deployment, ReplicaSet } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { isRolling } from "./bounds.ts";
import { decideDeployment, type DeploymentPlan } from "./decide-deployment.ts";
import { withCondition } from "./deployment-condition.ts";
import { sameTemplate } from "./new-replica-set.ts";
import { revisionAnnotation } from "./revision.ts";
import { hasDeadline } from "./rollout-draft.ts";

/** As `system:serviceaccount:kube-system:deployment-controller`. */
export function runDeployments(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("deployment-controller", options, deploymentController);
}

export function deploymentController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { deployments, replicaSets, pods } = caches;

  /** Recreate waits for the very last of the old pods, which no status of a ReplicaSet counts. */
  const waitingFor = (pod: Parameters<typeof controllerOf>[0]): string[] => {
    const owner = controllerOf(pod);
    const replicaSet = owner && replicaSets.get(`${pod.metadata.namespace}/${owner.name}`);
    const above = replicaSet && controllerOf(replicaSet);
    const deployment = above && deployments.get(`${pod.metadata.namespace}/${above.name}`);
    return deployment && !isRolling(deployment) ? [keyOf(deployment)] : [];
  };

  /** Names follow from templates, so what is there under the name is ours, or another template of the same hash. */
  const create = async (deployment: Deployment, made: ReplicaSet, signal: AbortSignal): Promise<"made" | "again"> => {
    const { namespace, name = "" } = made.metadata;
    try {
      await client.create(kinds.replicaSet, made, { namespace, signal });
      return "made";
    } catch (error) {
      if (isNamespaceGoing(error)) return "again";
      if (!isAlreadyExists(error)) {
        await tellFailure(deployment, `Failed to create new replica set "${name}": ${textOf(error)}`, signal);
        throw error;
      }
      const there = await client.get(kinds.replicaSet, name, { namespace, signal });
      if (isControlledBy(there, deployment) && sameTemplate(there.spec?.template, made.spec?.template)) return "again";
      const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
      await writeStatus(client, kinds.deployment, deployment, { ...deployment.status, collisionCount }, { signal });
      return "again";
    }
  };

  const tellFailure = async (deployment: Deployment, message: string, signal: AbortSignal): Promise<void> => {
    const reason = "ReplicaSetCreateError";
    recorder.record({ regarding: deployment, type: "Warning", reason, message });
    if (!hasDeadline(deployment)) return;
    const finding = { type: "Progressing", status: "False", reason, message };
    const conditions = withCondition(deployment.status?.conditions ?? [], finding, clock.now());
    await writeStatus(client, kinds.deployment, deployment, { ...deployment.status, conditions }, { signal });
  };

  const carryOut = async (deployment: Deployment, plan: DeploymentPlan, signal: AbortSignal): Promise<Result> => {
    const { namespace } = deployment.metadata;
    if (plan.create && (await create(deployment, plan.create, signal)) === "again") return { requeue: true };
    try {
      for (const replicaSet of plan.updates) await client.update(kinds.replicaSet, replicaSet, { namespace, signal });
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return { requeue: true };
      throw error;
    }
    for (const event of plan.events) recorder.record(event);
    for (const { metadata } of plan.deletes) {
      const preconditions = { uid: metadata.uid, resourceVersion: metadata.resourceVersion };
      try {
        await client.delete(kinds.replicaSet, metadata.name ?? "", { namespace, preconditions, signal });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    }
    const annotations =
      plan.revision === undefined
        ? undefined
        : { ...deployment.metadata.annotations, [revisionAnnotation]: plan.revision };
    const written = await writeStatus(client, kinds.deployment, deployment, plan.status, { annotations, signal });
    return written === "outdated" ? { requeue: true } : { requeueAfterMs: plan.requeueAfterMs };
  };

  return new Controller({
    name: "deployment",
    concurrency: 5,
    clock,
    log,
    metrics,
    sources: [
      source(deployments, ({ object }) => [keyOf(object)]),
      dependentsSource(replicaSets, kinds.deployment, deployments),
      source(pods, ({ type, object }) => (type === "deleted" ? waitingFor(object) : [])),
    ],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      const deployment = deployments.get(key);
      if (!deployment) return undefined;
      const owner = { ownerKind: kinds.deployment, owner: deployment };
      const owned = await claim({ client, ...owner, kind: kinds.replicaSet, from: replicaSets, signal });
      const plan = decideDeployment({
        deployment,
        replicaSets: owned,
        podsOf: (of) => pods.byIndex(byController, of),
        now: clock.now(),
      });
      return carryOut(deployment, plan, signal);
    },
  });
}
