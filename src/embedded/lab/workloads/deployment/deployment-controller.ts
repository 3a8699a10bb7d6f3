import { kinds } from "../../../../cluster/kube/kinds.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { claim } from "../pods/claim.ts";
import { controllerOf } from "../pods/controller-of.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { byController } from "../workload-caches.ts";
import type { Pod } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { isRolling } from "./bounds.ts";
import { decideDeployment } from "./decide-deployment.ts";
import { carryOut } from "./deployment-writes.ts";

/** As `system:serviceaccount:kube-system:deployment-controller`. */
export function runDeployments(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("deployment-controller", options, deploymentController);
}

export function deploymentController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { deployments, replicaSets, pods } = caches;

  /** Recreate waits until the last old pod is deleted, and a ReplicaSet's status does not count terminating pods. */
  const waitingFor = (pod: Pod): string[] => {
    const owner = controllerOf(pod);
    const replicaSet = owner && replicaSets.get(`${pod.metadata.namespace}/${owner.name}`);
    const above = replicaSet && controllerOf(replicaSet);
    const deployment = above && deployments.get(`${pod.metadata.namespace}/${above.name}`);
    return deployment && !isRolling(deployment) ? [keyOf(deployment)] : [];
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
      const now = clock.now();
      const plan = decideDeployment({
        deployment,
        replicaSets: owned,
        podsOf: (of) => pods.byIndex(byController, of),
        now,
      });
      return carryOut(deployment, plan, { client, recorder, now, signal });
    },
  });
}
