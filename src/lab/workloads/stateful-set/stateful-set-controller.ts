import { isAlreadyExists, isConflict, isNotFound } from "../../../kube/api-error.ts";
import { kinds } from "../../../kube/kinds.ts";
import { keyOf } from "../../../object/meta.ts";
import { Controller, type Result, source } from "../../../runtime/controller.ts";
import { claim, selectorOf } from "../pods/claim.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { isNamespaceGoing, textOf } from "../pods/pod-writes.ts";
import { slowStart } from "../pods/slow-start.ts";
import { createRevision } from "../revisions/create-revision.ts";
import { decideRevision, outdatedRevisions } from "../revisions/decide-revision.ts";
import { byController, orphansOf } from "../workload-caches.ts";
import type { ControllerRevision, Pod, StatefulSet } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { type Deed, decideStatefulSet, type Step } from "./decide-stateful-set.ts";
import { ordinalOf } from "./ordinals.ts";
import { podRevision } from "./stateful-pod.ts";

/** As `system:serviceaccount:kube-system:statefulset-controller`. */
export function runStatefulSets(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("statefulset-controller", options, statefulSetController);
}

export function statefulSetController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { statefulSets, pods, controllerRevisions, persistentVolumeClaims } = caches;

  const tell = (set: StatefulSet, verb: string, subject: string, error?: unknown): void => {
    const [type, reason, outcome] = error
      ? (["Warning", `Failed${verb}`, `failed error: ${textOf(error)}`] as const)
      : (["Normal", `Successful${verb}`, subject.startsWith("Claim") ? "success" : "successful"] as const);
    const message = `${verb} ${subject} in StatefulSet ${set.metadata.name} ${outcome}`;
    recorder.record({ regarding: set, type, reason, message });
  };

  const carryOut = async (set: StatefulSet, pod: Pod, deed: Deed, signal: AbortSignal): Promise<void> => {
    const options = { namespace: set.metadata.namespace, signal };
    const name = `Pod ${pod.metadata.name}`;
    const told = async (verb: string, subject: string, write: () => Promise<unknown>): Promise<void> => {
      try {
        await write();
        tell(set, verb, subject);
      } catch (error) {
        if (!isAlreadyExists(error) && !isConflict(error) && !isNamespaceGoing(error)) tell(set, verb, subject, error);
        throw error;
      }
    };
    switch (deed.type) {
      case "create claim": {
        const subject = `Claim ${deed.claim.metadata.name} ${name}`;
        return told("Create", subject, () => client.create(kinds.persistentVolumeClaim, deed.claim, options));
      }
      case "own claim":
        await client.update(kinds.persistentVolumeClaim, deed.claim, options);
        return;
      case "create pod":
        return told("Create", name, () => client.create(kinds.pod, deed.pod, options));
      case "update pod":
        return told("Update", name, () => client.update(kinds.pod, deed.pod, options));
      case "delete pod": {
        const { uid } = deed.pod.metadata;
        return told("Delete", name, () =>
          client.delete(kinds.pod, pod.metadata.name ?? "", { ...options, preconditions: { uid } }),
        );
      }
      default: {
        const error = new Error(deed.because);
        tell(set, "Create", name, error);
        throw error;
      }
    }
  };

  /** One after the other, or all at once where the set allows it. */
  const act = async (set: StatefulSet, steps: readonly Step[], signal: AbortSignal): Promise<unknown> => {
    const run = async ({ pod, deeds }: Step): Promise<void> => {
      for (const deed of deeds) await carryOut(set, pod, deed, signal);
    };
    if (set.spec?.podManagementPolicy === "Parallel") {
      const { errors } = await slowStart(steps.length, (index) => run(steps[index]!));
      return errors[0];
    }
    try {
      for (const step of steps) await run(step);
      return undefined;
    } catch (error) {
      return error;
    }
  };

  const currentRevisions = async (
    set: StatefulSet,
    revisions: readonly ControllerRevision[],
    signal: AbortSignal,
  ): Promise<{ current: ControllerRevision; update: ControllerRevision; collisions: number }> => {
    const collisions = set.status?.collisionCount ?? 0;
    const decision = decideRevision(kinds.statefulSet, set, revisions, collisions);
    const named = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision);
    const { namespace } = set.metadata;
    if (decision.type === "create") {
      const created = await createRevision(client, kinds.statefulSet, set, decision.revision, { collisions, signal });
      return { current: named ?? created.revision, update: created.revision, collisions: created.collisions };
    }
    const update =
      decision.type === "there"
        ? decision.revision
        : await client.update(kinds.controllerRevision, decision.revision, { namespace, signal });
    return { current: named ?? update, update, collisions };
  };

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
      const { uid = "", namespace = "" } = set.metadata;
      const claimOptions = {
        client,
        ownerKind: kinds.statefulSet,
        owner: set,
        selector: selectorOf(set),
        signal,
      };
      const revisions = await claim<ControllerRevision, StatefulSet>({
        ...claimOptions,
        kind: kinds.controllerRevision,
        candidates: [
          ...controllerRevisions.byIndex(byController, uid),
          ...controllerRevisions.byIndex(orphansOf, namespace),
        ],
      });
      const mine = await claim({
        ...claimOptions,
        kind: kinds.pod,
        candidates: [...pods.byIndex(byController, uid), ...pods.byIndex(orphansOf, namespace)].filter(
          (pod) => ordinalOf(pod, set) !== undefined,
        ),
      });
      const { current, update, collisions } = await currentRevisions(set, revisions, signal);
      const plan = decideStatefulSet({
        set,
        pods: mine,
        current,
        update,
        collisions,
        claim: (name) => persistentVolumeClaims.get(name),
        now: clock.now(),
      });
      const failure = await act(set, plan.steps, signal);
      const written = await writeStatus(client, kinds.statefulSet, set, plan.status, { signal });
      const live = new Set([current.metadata.name, update.metadata.name, ...mine.map(podRevision)]);
      const limit = set.spec?.revisionHistoryLimit ?? 10;
      for (const old of outdatedRevisions(revisions, ({ metadata }) => live.has(metadata.name), limit))
        await client
          .delete(kinds.controllerRevision, old.metadata.name ?? "", { namespace, signal })
          .catch((error: unknown) => {
            if (!isNotFound(error)) throw error;
          });
      if (failure !== undefined) {
        // What the cache does not show yet, it will: then there is an event.
        if (isAlreadyExists(failure) || isConflict(failure) || isNotFound(failure)) return { requeue: true };
        if (!isNamespaceGoing(failure)) throw failure;
      }
      return written === "outdated" ? { requeue: true } : { requeueAfterMs: plan.requeueAfterMs };
    },
  });
}
