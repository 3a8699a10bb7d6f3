import { kinds } from "../../../../cluster/kube/kinds.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { claim } from "../pods/claim.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import type { Revised } from "../revisions/controller-revision.ts";
import { currentRevision, deleteRevisions } from "../revisions/revision-writes.ts";
import type { ControllerRevision, Pod, StatefulSet } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { decideResult, decideStatefulSet } from "./decide-stateful-set.ts";
import { ordinalOf } from "./stateful-pod.ts";
import { carryOut } from "./stateful-set-writes.ts";

export const revised: Revised = { kind: kinds.statefulSet, hashLabel: "controller.kubernetes.io/hash" };

/** As `system:serviceaccount:kube-system:statefulset-controller`. */
export function runStatefulSets(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("statefulset-controller", options, statefulSetController);
}

export function statefulSetController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { statefulSets, pods, controllerRevisions, persistentVolumeClaims } = caches;

  return new Controller({
    name: "stateful-set",
    concurrency: 5,
    clock,
    log,
    metrics,
    sources: [
      source(statefulSets, ({ object }) => [keyOf(object)]),
      dependentsSource(pods, kinds.statefulSet, statefulSets),
    ],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      const set = statefulSets.get(key);
      if (!set) return undefined;
      const claiming = { client, ownerKind: kinds.statefulSet, owner: set, signal };
      const revisions = await claim<ControllerRevision, StatefulSet>({
        ...claiming,
        kind: kinds.controllerRevision,
        from: controllerRevisions,
      });
      const hasOrdinal = (pod: Pod): boolean => ordinalOf(pod, set) !== undefined;
      const owned = await claim({ ...claiming, kind: kinds.pod, from: pods, only: hasOrdinal });
      const { revision, collisions } = await currentRevision({ client, of: revised, owner: set, revisions, signal });
      const plan = decideStatefulSet({
        set,
        pods: owned,
        revisions,
        update: revision,
        collisions,
        claim: (name) => persistentVolumeClaims.get(name),
        now: clock.now(),
      });
      const error = await carryOut(plan.steps, { client, recorder, set, signal });
      const written = await writeStatus({ client, kind: kinds.statefulSet, object: set, status: plan.status, signal });
      await deleteRevisions(client, plan.outdated, signal);
      const result = decideResult(plan, { error, written });
      if (result.type === "failed") throw result.error;
      return result;
    },
  });
}
