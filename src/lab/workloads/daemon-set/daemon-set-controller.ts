import { isAlreadyExists, isConflict, isNotFound } from "../../../kube/api-error.ts";
import type { Cache, CacheEvent } from "../../../kube/cache.ts";
import type { KindRef } from "../../../kube/client.ts";
import { kinds } from "../../../kube/kinds.ts";
import { equal } from "../../../object/json.ts";
import { keyOf, type KubeObject } from "../../../object/meta.ts";
import { Controller, type Result, source } from "../../../runtime/controller.ts";
import { forEachBounded } from "../../../runtime/for-each-bounded.ts";
import { claim, selectorOf } from "../pods/claim.ts";
import { controllerOf } from "../pods/controller-of.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { Expectations } from "../pods/expectations.ts";
import { untilAvailable } from "../pods/pod-state.ts";
import { createPod, deletePod, isNamespaceGoing, type PodWrites } from "../pods/pod-writes.ts";
import { slowStart } from "../pods/slow-start.ts";
import { byController, orphansOf } from "../workload-caches.ts";
import type { DaemonSet, Node, Pod } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { daemonNodes } from "./daemon-nodes.ts";
import { daemonPod, revisionLabel } from "./daemon-pod.ts";
import { daemonSetStatus } from "./daemon-set-status.ts";
import { decideDaemonSet, type DaemonSetDecision } from "./decide-daemon-set.ts";
import { FailedPods } from "./failed-pods.ts";
import { nodeFit } from "./node-fit.ts";
import { decideRevisions, type RevisionsDecision } from "./revisions.ts";

const deletionsAtOnce = 32;
/** Pods made in one pass: what follows from them is looked at before more are. */
const mostCreations = 250;
/** A look takes time for each node, so with many of them the looks are spaced: pods come in hundreds a second then. */
const restPerNodeMs = 0.25;

/** As `system:serviceaccount:kube-system:daemon-set-controller`. */
export function runDaemonSets(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("daemonset-controller", options, daemonSetController);
}

export function daemonSetController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { pods, nodes, daemonSets, controllerRevisions } = caches;
  const expectations = new Expectations(clock);
  const failed = new FailedPods(clock);
  const lookAgainAt = new Map<string, number>();

  const carryOut = async (
    daemonSet: DaemonSet,
    hash: string,
    decision: DaemonSetDecision,
    writes: PodWrites,
  ): Promise<unknown[]> => {
    const key = keyOf(daemonSet);
    const template = daemonSet.spec?.template;
    const names = decision.create.slice(0, mostCreations);
    expectations.expectCreations(key, names.length);
    const uids = decision.delete.map(({ metadata }) => metadata.uid ?? "");
    expectations.expectDeletions(key, uids);
    for (const event of decision.events) recorder.record({ regarding: daemonSet, ...event });
    for (const name of decision.replaced) failed.replaced(key, name);
    const errors: unknown[] = [];
    const deleting = forEachBounded(decision.delete, deletionsAtOnce, async (pod) => {
      try {
        if (!(await deletePod(pod, daemonSet, writes))) expectations.deletionObserved(key, pod.metadata.uid ?? "");
      } catch (error) {
        expectations.deletionObserved(key, pod.metadata.uid ?? "");
        errors.push(error);
      }
    });
    const created = await slowStart(names.length, async (index) => {
      let made: Pod | undefined;
      try {
        if (template) made = await createPod(daemonPod(daemonSet, template, hash, names[index]!), daemonSet, writes);
      } finally {
        if (!made) expectations.creationObserved(key);
      }
    });
    for (let skipped = created.attempted; skipped < names.length; skipped++) expectations.creationObserved(key);
    await deleting;
    return [...created.errors, ...errors];
  };

  /** `again` when another was faster, or the name is taken by another template. */
  const writeHistory = async (
    daemonSet: DaemonSet,
    { write, deletes }: RevisionsDecision,
    signal: AbortSignal,
  ): Promise<"done" | "again"> => {
    const { namespace } = daemonSet.metadata;
    try {
      if (write?.type === "create")
        await client.create(kinds.controllerRevision, write.revision, { namespace, signal });
      if (write?.type === "update")
        await client.update(kinds.controllerRevision, write.revision, { namespace, signal });
    } catch (error) {
      if (isConflict(error) || isNamespaceGoing(error)) return "again";
      if (!isAlreadyExists(error) || !write) throw error;
      const name = write.revision.metadata.name ?? "";
      const there = await client.get(kinds.controllerRevision, name, { namespace, signal });
      if (equal(there.data, write.revision.data) && controllerOf(there)?.uid === daemonSet.metadata.uid) return "again";
      const collisionCount = (daemonSet.status?.collisionCount ?? 0) + 1;
      await writeStatus(client, kinds.daemonSet, daemonSet, { ...daemonSet.status, collisionCount }, { signal });
      return "again";
    }
    await forEachBounded(deletes, deletionsAtOnce, async ({ metadata }) => {
      const { name = "", uid } = metadata;
      try {
        await client.delete(kinds.controllerRevision, name, { namespace, preconditions: { uid }, signal });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error))
          log?.warn({ error, revision: name }, "could not forget a revision");
      }
    });
    return "done";
  };

  const owned = <T extends KubeObject>(
    daemonSet: DaemonSet,
    kind: KindRef<T>,
    cache: Cache<T>,
    signal: AbortSignal,
  ): Promise<T[]> => {
    const { uid = "", namespace = "" } = daemonSet.metadata;
    const candidates = [...cache.byIndex(byController, uid), ...cache.byIndex(orphansOf, namespace)];
    const selector = selectorOf(daemonSet);
    return claim({ client, ownerKind: kinds.daemonSet, owner: daemonSet, kind, selector, candidates, signal });
  };

  return new Controller({
    name: "daemon-set",
    concurrency: 2,
    clock,
    log,
    metrics,
    sources: [
      source(daemonSets, ({ object }) => [keyOf(object)]),
      source(nodes, (event) => (concernsPods(event) ? daemonSets.list().map(keyOf) : [])),
      dependentsSource(pods, kinds.daemonSet, daemonSets, expectations),
      dependentsSource(controllerRevisions, kinds.daemonSet, daemonSets),
    ],
    async reconcile(key, { signal }): Promise<Result | undefined> {
      const daemonSet = daemonSets.get(key);
      const spec = daemonSet?.spec?.template.spec;
      if (!daemonSet || !spec) {
        expectations.forget(key);
        failed.forget(key);
        lookAgainAt.delete(key);
        return undefined;
      }
      const early = (lookAgainAt.get(key) ?? 0) - clock.monotonic();
      if (early > 0) return { requeueAfterMs: early };
      const all = nodes.list();
      lookAgainAt.set(key, clock.monotonic() + all.length * restPerNodeMs);

      // Asked before the cache is read: what it shows then is at least what was waited for.
      const settled = expectations.met(key);
      const mine = await owned(daemonSet, kinds.pod, pods, signal);
      const history = decideRevisions({
        daemonSet,
        revisions: await owned(daemonSet, kinds.controllerRevision, controllerRevisions, signal),
        hashesInUse: new Set(mine.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? "")),
      });
      const going = daemonSet.metadata.deletionTimestamp !== undefined;
      if (!going && (await writeHistory(daemonSet, history, signal)) === "again") return { requeue: true };

      const now = clock.now();
      const { hash } = history;
      const input = { daemonSet, ...daemonNodes(all, mine, nodeFit(spec)), hash, now };
      const decision =
        going || !settled ? undefined : decideDaemonSet({ ...input, restMs: (node) => failed.restMs(key, node) });
      const errors = decision ? await carryOut(daemonSet, hash, decision, { client, recorder, signal }) : [];
      const written = await writeStatus(client, kinds.daemonSet, daemonSet, daemonSetStatus(input), { signal });
      if (errors.length > 0) throw errors[0];
      if (written === "outdated") return { requeue: true };
      const waits = [
        decision?.requeueAfterMs,
        untilAvailable(mine, daemonSet.spec?.minReadySeconds ?? 0, now),
        expectations.waitMs(key),
      ].filter((ms) => ms !== undefined);
      return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
    },
  });
}

/** Heartbeats are most of what a node says. */
function concernsPods(event: CacheEvent<Node>): boolean {
  if (event.type !== "updated") return true;
  const { before, object } = event;
  return !equal(before.metadata.labels, object.metadata.labels) || !equal(before.spec, object.spec);
}
