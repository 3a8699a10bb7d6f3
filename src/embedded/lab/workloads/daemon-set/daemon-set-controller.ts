import { isConflict } from "../../../../cluster/kube/api-error.ts";
import type { CacheEvent } from "../../../../cluster/kube/cache.ts";
import { kinds } from "../../../../cluster/kube/kinds.ts";
import { equal } from "../../../../language/object/json.ts";
import { keyOf } from "../../../../language/object/meta.ts";
import { Controller, type Result, source } from "../../../../cluster/runtime/controller/controller.ts";
import { claim } from "../pods/claim.ts";
import { dependentsSource } from "../pods/dependents-source.ts";
import { Expectations } from "../pods/expectations.ts";
import { createExpected, deleteExpected, type ExpectedWrites } from "../pods/expected-writes.ts";
import { untilAvailable } from "../pods/pod-state.ts";
import { isNamespaceGoing } from "../pods/pod-writes.ts";
import type { Revised } from "../revisions/controller-revision.ts";
import { decideRevision } from "../revisions/decide-revision.ts";
import { currentRevision, deleteRevisions } from "../revisions/revision-writes.ts";
import { ResyncInterval } from "../resync-interval.ts";
import type { ControllerRevision, DaemonSet, Node } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { daemonNodes, nodeFit } from "./daemon-nodes.ts";
import { daemonPod, revisionLabel } from "./daemon-pod.ts";
import { daemonSetStatus } from "./daemon-set-status.ts";
import { type DaemonSetDecision, decideDaemonSet, hashOf, outdatedRevisions } from "./decide-daemon-set.ts";
import { FailedPods } from "./failed-pods.ts";

/** The most pods that a pass creates. */
const mostCreations = 250;
/** With many nodes, pods change hundreds of times a second. */
const intervalMsPerNode = 0.25;

/** As `system:serviceaccount:kube-system:daemon-set-controller`. */
export function runDaemonSets(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("daemonset-controller", options, daemonSetController);
}

const revised: Revised = { kind: kinds.daemonSet, hashLabel: revisionLabel };

export function daemonSetController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { pods, nodes, daemonSets, controllerRevisions } = caches;
  const expectations = new Expectations(clock);
  const failed = new FailedPods(clock);
  const interval = new ResyncInterval(clock, intervalMsPerNode);

  const reconcile = async (key: string, signal: AbortSignal): Promise<Result | undefined> => {
    const daemonSet = daemonSets.get(key);
    const spec = daemonSet?.spec?.template.spec;
    if (!daemonSet || !spec) {
      expectations.forget(key);
      failed.forget(key);
      interval.forget(key);
      return undefined;
    }
    const intervalMs = interval.waitMs(key);
    if (intervalMs > 0) return { requeueAfterMs: intervalMs };
    const all = nodes.list();
    interval.started(key, all.length);

    // Asked before the cache is read: the cache then shows at least these pods.
    const settled = expectations.met(key);
    const claiming = { client, ownerKind: kinds.daemonSet, owner: daemonSet, signal };
    const owned = await claim({ ...claiming, kind: kinds.pod, from: pods });
    const revisions = await claim<ControllerRevision, DaemonSet>({
      ...claiming,
      kind: kinds.controllerRevision,
      from: controllerRevisions,
    });
    const isDeleted = daemonSet.metadata.deletionTimestamp !== undefined;
    const { revision, collisions } = isDeleted
      ? { ...decideRevision(revised, daemonSet, revisions), collisions: daemonSet.status?.collisionCount }
      : await currentRevision({ client, of: revised, owner: daemonSet, revisions, signal });

    const now = clock.now();
    const hash = hashOf(revision);
    const input = { daemonSet, ...daemonNodes(all, owned, nodeFit(spec)), hash, collisions, now };
    const decision =
      isDeleted || !settled ? undefined : decideDaemonSet({ ...input, backoffMs: (node) => failed.waitMs(key, node) });
    for (const name of decision?.replaced ?? []) failed.replaced(key, name);
    const writes = { client, recorder, expectations, signal };
    const errors = decision ? await carryOut(daemonSet, { ...decision, hash }, writes) : [];
    const written = await writeStatus({
      client,
      kind: kinds.daemonSet,
      object: daemonSet,
      status: daemonSetStatus(input),
      signal,
    });
    if (!isDeleted) {
      const outdated = outdatedRevisions({ daemonSet, current: revision, revisions, pods: owned });
      await deleteRevisions(client, outdated, signal);
    }
    if (errors.length > 0) throw errors[0];
    if (written === "outdated") return { requeue: true };
    const waits = [
      decision?.requeueAfterMs,
      untilAvailable(owned, daemonSet.spec?.minReadySeconds ?? 0, now),
      expectations.waitMs(key),
    ].filter((ms) => ms !== undefined);
    return waits.length > 0 ? { requeueAfterMs: Math.min(...waits) } : undefined;
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
      try {
        return await reconcile(key, signal);
      } catch (error) {
        if (isConflict(error) || isNamespaceGoing(error)) return { requeue: true };
        throw error;
      }
    },
  });
}

/** Returns the errors of all requests. */
async function carryOut(
  daemonSet: DaemonSet,
  decision: DaemonSetDecision & { hash: string },
  writes: ExpectedWrites,
): Promise<unknown[]> {
  const template = daemonSet.spec?.template;
  const names = template ? decision.create.slice(0, mostCreations) : [];
  const created = names.map((name) => daemonPod(daemonSet, template!, decision.hash, name));
  for (const event of decision.events) writes.recorder.record({ regarding: daemonSet, ...event });
  const [deletions, creations] = await Promise.all([
    deleteExpected(decision.delete, daemonSet, writes),
    createExpected(created, daemonSet, writes),
  ]);
  return [...creations.errors, ...deletions.errors];
}

/** Most updates of a node are heartbeats. */
function concernsPods(event: CacheEvent<Node>): boolean {
  if (event.type !== "updated") return true;
  const { before, object } = event;
  return !equal(before.metadata.labels, object.metadata.labels) || !equal(before.spec, object.spec);
}
