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
import { decideRevision } from "../revisions/decide-revision.ts";
import { currentRevision, deleteRevisions } from "../revisions/revision-writes.ts";
import { ResyncInterval } from "../resync-interval.ts";
import type { ControllerRevision, DaemonSet, Node } from "../workload-objects.ts";
import { runWithEvents, type WorkloadControllerOptions, type WorkloadOptions } from "../workload-options.ts";
import { writeStatus } from "../write-status.ts";
import { daemonNodes } from "./daemon-nodes.ts";
import { daemonPod, revisionLabel } from "./daemon-pod.ts";
import { hashOf, revised, superfluous } from "./daemon-set-revisions.ts";
import { daemonSetStatus } from "./daemon-set-status.ts";
import { decideDaemonSet, type DaemonSetDecision } from "./decide-daemon-set.ts";
import { FailedPods } from "./failed-pods.ts";
import { nodeFit } from "./node-fit.ts";

/** Pods made in one pass: what follows from them is looked at before more are. */
const mostCreations = 250;
/** Pods come in hundreds a second where there are many nodes. */
const intervalMsPerNode = 0.25;

/** As `system:serviceaccount:kube-system:daemon-set-controller`. */
export function runDaemonSets(options: WorkloadOptions & { signal: AbortSignal }): Promise<void> {
  return runWithEvents("daemonset-controller", options, daemonSetController);
}

export function daemonSetController(options: WorkloadControllerOptions): Controller {
  const { client, caches, recorder, clock, log, metrics } = options;
  const { pods, nodes, daemonSets, controllerRevisions } = caches;
  const expectations = new Expectations(clock);
  const failed = new FailedPods(clock);
  const interval = new ResyncInterval(clock, intervalMsPerNode);

  const carryOut = async (
    daemonSet: DaemonSet,
    hash: string,
    decision: DaemonSetDecision,
    writes: ExpectedWrites,
  ): Promise<unknown[]> => {
    const key = keyOf(daemonSet);
    const template = daemonSet.spec?.template;
    const names = template ? decision.create.slice(0, mostCreations) : [];
    const made = names.map((name) => daemonPod(daemonSet, template!, hash, name));
    for (const event of decision.events) recorder.record({ regarding: daemonSet, ...event });
    for (const name of decision.replaced) failed.replaced(key, name);
    const [deletions, creations] = await Promise.all([
      deleteExpected(decision.delete, daemonSet, writes),
      createExpected(made, daemonSet, writes),
    ]);
    return [...creations.errors, ...deletions.errors];
  };

  const reconcile = async (key: string, signal: AbortSignal): Promise<Result | undefined> => {
    const daemonSet = daemonSets.get(key);
    const spec = daemonSet?.spec?.template.spec;
    if (!daemonSet || !spec) {
      expectations.forget(key);
      failed.forget(key);
      interval.forget(key);
      return undefined;
    }
    const restMs = interval.waitMs(key);
    if (restMs > 0) return { requeueAfterMs: restMs };
    const all = nodes.list();
    interval.started(key, all.length);

    // Asked before the cache is read: what it shows then is at least what was waited for.
    const settled = expectations.met(key);
    const claiming = { client, ownerKind: kinds.daemonSet, owner: daemonSet, signal };
    const mine = await claim({ ...claiming, kind: kinds.pod, from: pods });
    const revisions = await claim<ControllerRevision, DaemonSet>({
      ...claiming,
      kind: kinds.controllerRevision,
      from: controllerRevisions,
    });
    const going = daemonSet.metadata.deletionTimestamp !== undefined;
    const { revision, collisions } = going
      ? { ...decideRevision(revised, daemonSet, revisions), collisions: daemonSet.status?.collisionCount }
      : await currentRevision({ client, of: revised, owner: daemonSet, revisions, signal });

    const now = clock.now();
    const hash = hashOf(revision);
    const input = { daemonSet, ...daemonNodes(all, mine, nodeFit(spec)), hash, collisions, now };
    const decision =
      going || !settled ? undefined : decideDaemonSet({ ...input, restMs: (node) => failed.restMs(key, node) });
    const errors = decision
      ? await carryOut(daemonSet, hash, decision, { client, recorder, expectations, signal })
      : [];
    const written = await writeStatus({
      client,
      kind: kinds.daemonSet,
      object: daemonSet,
      status: daemonSetStatus(input),
      signal,
    });
    if (!going) {
      const inUse = new Set(mine.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? ""));
      await deleteRevisions(client, superfluous(daemonSet, revision, revisions, inUse), signal);
    }
    if (errors.length > 0) throw errors[0];
    if (written === "outdated") return { requeue: true };
    const waits = [
      decision?.requeueAfterMs,
      untilAvailable(mine, daemonSet.spec?.minReadySeconds ?? 0, now),
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

/** Heartbeats are most of what a node says. */
function concernsPods(event: CacheEvent<Node>): boolean {
  if (event.type !== "updated") return true;
  const { before, object } = event;
  return !equal(before.metadata.labels, object.metadata.labels) || !equal(before.spec, object.spec);
}
