import { isAlreadyExists, isConflict, isNotFound } from "../../../../cluster/kube/api-error.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { claim } from "../pods/claim.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { isNamespaceGoing, textOf } from "../pods/pod-writes.ts";
import { slowStart } from "../pods/slow-start.ts";
import type { Revised } from "../revisions/controller-revision.ts";
import { outdatedRevisions } from "../revisions/decide-revision.ts";
import { currentRevision, forgetRevisions } from "../revisions/revision-writes.ts";
import type { ControllerRevision, Pod, StatefulSet } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { type Deed, decideStatefulSet, type Step } from "./decide-stateful-set.ts";
import { ordinalOf } from "./ordinals.ts";
import { podRevision } from "./stateful-pod.ts";

export const revised: Revised = { kind: kinds.statefulSet, hashLabel: "controller.kubernetes.io/hash" };

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
      const hasNumber = (pod: Pod): boolean => ordinalOf(pod, set) !== undefined;
      const mine = await claim({ ...claiming, kind: kinds.pod, from: pods, only: hasNumber });
      const { revision: update, collisions } = await currentRevision(client, revised, set, revisions, signal);
      const current = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision) ?? update;
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
      const outdated = outdatedRevisions(revisions, ({ metadata }) => live.has(metadata.name), limit);
      await forgetRevisions(client, outdated, signal);
      if (failure !== undefined) {
        // What the cache does not show yet, it will: then there is an event.
        if (isAlreadyExists(failure) || isConflict(failure) || isNotFound(failure)) return { requeue: true };
        if (!isNamespaceGoing(failure)) throw failure;
      }
      return written === "outdated" ? { requeue: true } : { requeueAfterMs: plan.requeueAfterMs };
    },
  });
}
