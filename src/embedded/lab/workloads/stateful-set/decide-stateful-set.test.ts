import { describe, expect, it } from "vitest";
import { formatTime } from "../../../../language/object/time.ts";
import { ApiError } from "../../../../cluster/kube/api-error.ts";
import { newRevision } from "../revisions/controller-revision.ts";
import { revised } from "./stateful-set-controller.ts";
import type { PersistentVolumeClaim, Pod, StatefulSet } from "../workload-objects.ts";
import { decideResult, decideStatefulSet, type StatefulSetPlan } from "./decide-stateful-set.ts";
import { statefulPod } from "./stateful-pod.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const labels = { app: "db" };

type Spec = Partial<NonNullable<StatefulSet["spec"]>>;
function statefulSet(spec: Spec = {}, image = "new"): StatefulSet {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: "default", uid: "s", generation: 2 },
    spec: {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image }] } },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      ...spec,
    },
  };
}

const current = { ...newRevision(revised, statefulSet({}, "old"), 1, 0) };
const update = { ...newRevision(revised, statefulSet(), 2, 0) };

/** `0 old ready`, `1 new pending`, `2 new terminating`, `0 old failed`. */
function pod(sketch: string): Pod {
  const [ordinal = "0", image = "new", state = "ready"] = sketch.split(" ");
  const revision = image === "old" ? current : update;
  const made = statefulPod(
    statefulSet(),
    statefulSet({}, image).spec!.template,
    revision.metadata.name ?? "",
    Number(ordinal),
  );
  const phases: Record<string, string> = { pending: "Pending", failed: "Failed" };
  return {
    ...made,
    metadata: {
      ...made.metadata,
      uid: `pod-${ordinal}`,
      ...(state === "terminating" && { deletionTimestamp: formatTime(now) }),
    },
    status: {
      phase: phases[state] ?? "Running",
      conditions:
        state === "ready" ? [{ type: "Ready", status: "True", lastTransitionTime: formatTime(now - 5000) }] : [],
    },
  };
}

function decide(set: StatefulSet, pods: readonly string[], claims: PersistentVolumeClaim[] = []): StatefulSetPlan {
  const byKey = new Map(claims.map((claim) => [`default/${claim.metadata.name}`, claim]));
  const claim = (key: string): PersistentVolumeClaim | undefined => byKey.get(key);
  const status = { replicas: 0, currentRevision: current.metadata.name ?? "" };
  return decideStatefulSet({
    set: { ...set, status },
    pods: pods.map(pod),
    revisions: [current, update],
    update,
    collisions: 0,
    claim,
    now,
  });
}

function actions({ steps }: StatefulSetPlan): string[] {
  return steps.flatMap(({ pod: { metadata, spec }, actions: list }) =>
    list.map(({ type }) =>
      type === "create pod" ? `${type} ${metadata.name} ${spec?.containers[0]?.image}` : `${type} ${metadata.name}`,
    ),
  );
}

const parallel: Spec = { podManagementPolicy: "Parallel" };

describe("a pass over a StatefulSet", () => {
  it.each<{ when: string; set?: Spec; pods: string[]; does: string[] }>([
    { when: "no pod exists", pods: [], does: ["create pod db-0 new"] },
    {
      when: "no pod exists and pods are managed in parallel",
      set: parallel,
      pods: [],
      does: ["create pod db-0 new", "create pod db-1 new", "create pod db-2 new"],
    },
    { when: "the last one is not ready", pods: ["0 new ready", "1 new pending"], does: [] },
    { when: "the last one is ready", pods: ["0 new ready", "1 new ready"], does: ["create pod db-2 new"] },
    {
      when: "the last one is not available yet",
      set: { minReadySeconds: 9 },
      pods: ["0 new ready"],
      does: [],
    },
    { when: "one failed", pods: ["0 new ready", "1 new failed", "2 new ready"], does: ["delete pod db-1"] },
    { when: "one in the middle is missing", pods: ["0 new ready", "2 new ready"], does: ["create pod db-1 new"] },
    { when: "there are too many: the highest first", pods: ["0", "1", "2", "3", "4"], does: ["delete pod db-4"] },
    { when: "the highest is still terminating", pods: ["0", "1", "2", "3", "4 new terminating"], does: [] },
    {
      when: "there are too many and pods are managed in parallel",
      set: parallel,
      pods: ["0", "1", "2", "3", "4"],
      does: ["delete pod db-4", "delete pod db-3"],
    },
    { when: "one of too many never came up", pods: ["0", "1", "2", "3 new pending"], does: ["delete pod db-3"] },
    { when: "a template is new", pods: ["0 old", "1 old", "2 old"], does: ["delete pod db-2"] },
    { when: "an updated one is not available yet", pods: ["0 old", "1 old", "2 new terminating"], does: [] },
    { when: "an updated one is available", pods: ["0 old", "1 old", "2 new"], does: ["delete pod db-1"] },
    {
      when: "the old ones are below the partition",
      set: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } },
      pods: ["0 old", "1 old", "2 new"],
      does: [],
    },
    {
      when: "one below the partition is missing",
      set: { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } },
      pods: ["1 old", "2 new"],
      does: ["create pod db-0 old"],
    },
    {
      when: "the strategy is OnDelete",
      set: { updateStrategy: { type: "OnDelete" } },
      pods: ["0 old", "1 old", "2 old"],
      does: [],
    },
    {
      when: "ordinals start at 5",
      set: { ordinals: { start: 5 } },
      pods: ["5", "6"],
      does: ["create pod db-7 new"],
    },
    {
      when: "the first ordinal changed",
      set: { ordinals: { start: 1 } },
      pods: ["0", "1", "2", "3"],
      does: ["delete pod db-0"],
    },
  ])("when $when", ({ set, pods, does }) => {
    expect(actions(decide(statefulSet(set), pods))).toEqual(does);
  });

  it("has no steps for a deleted set, and counts its pods", () => {
    const set = statefulSet();
    const deleted = { ...set, metadata: { ...set.metadata, deletionTimestamp: formatTime(now) } };
    const plan = decide(deleted, ["0 new ready"]);
    expect(plan.steps).toEqual([]);
    expect(plan.status).toMatchObject({ replicas: 1, readyReplicas: 1, updatedReplicas: 1 });
  });

  it("counts each revision, and the update revision becomes current after the rollout", () => {
    expect(decide(statefulSet(), ["0 old", "1 old", "2 new"]).status).toMatchObject({
      // One of the old pods is deleted in this pass.
      currentReplicas: 1,
      updatedReplicas: 1,
      currentRevision: current.metadata.name,
      updateRevision: update.metadata.name,
    });
    expect(decide(statefulSet(), ["0 new", "1 new", "2 new"]).status).toMatchObject({
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: update.metadata.name,
    });
  });

  describe("claims", () => {
    const template = { metadata: { name: "data" }, spec: {} };
    const claimed = (policy: object = {}): StatefulSet =>
      statefulSet({ volumeClaimTemplates: [template], persistentVolumeClaimRetentionPolicy: policy, replicas: 1 });
    const claim = (ordinal: number, metadata: PersistentVolumeClaim["metadata"] = {}): PersistentVolumeClaim => ({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: `data-db-${ordinal}`, namespace: "default", ...metadata },
    });
    const ownedBy = (kind: string, name: string, uid: string): PersistentVolumeClaim["metadata"] => ({
      ownerReferences: [
        { apiVersion: kind === "Pod" ? "v1" : "apps/v1", kind, name, uid, controller: true, blockOwnerDeletion: true },
      ],
    });
    const both = { whenDeleted: "Delete", whenScaled: "Delete" };

    it.each<{ when: string; policy?: object; pods: string[]; claims: PersistentVolumeClaim[]; does: string[] }>([
      {
        when: "are created before their pod",
        pods: [],
        claims: [],
        does: ["create claim db-0", "create pod db-0 new"],
      },
      { when: "are used again", pods: [], claims: [claim(0)], does: ["create pod db-0 new"] },
      {
        when: "that are terminating block their pod",
        pods: [],
        claims: [claim(0, { deletionTimestamp: formatTime(now) })],
        does: ["wait db-0", "create pod db-0 new"],
      },
      {
        when: "that were deleted under a pending pod are created again",
        pods: ["0 new pending"],
        claims: [],
        does: ["create claim db-0"],
      },
      { when: "have no owner by default", pods: ["0"], claims: [claim(0)], does: [] },
      {
        when: "are owned by the set, to be deleted with it",
        policy: both,
        pods: ["0"],
        claims: [claim(0)],
        does: ["update claim db-0"],
      },
      {
        when: "that the set owns already stay as they are",
        policy: both,
        pods: ["0"],
        claims: [claim(0, ownedBy("StatefulSet", "db", "s"))],
        does: [],
      },
      {
        when: "lose their owner when the policy changes",
        pods: ["0"],
        claims: [claim(0, ownedBy("StatefulSet", "db", "s"))],
        does: ["update claim db-0"],
      },
      {
        when: "of a surplus pod are deleted with it",
        policy: both,
        pods: ["0", "1"],
        claims: [claim(0, ownedBy("StatefulSet", "db", "s")), claim(1, ownedBy("StatefulSet", "db", "s"))],
        does: ["update claim db-1", "delete pod db-1"],
      },
      {
        when: "of another controller are left alone",
        policy: both,
        pods: ["0"],
        claims: [claim(0, ownedBy("Backup", "b", "x"))],
        does: [],
      },
      {
        when: "of an earlier pod block the next one",
        policy: both,
        pods: [],
        claims: [claim(0, ownedBy("Pod", "db-0", "earlier"))],
        does: [],
      },
    ])("$when", ({ policy, pods, claims, does }) => {
      expect(actions(decide(claimed(policy), pods, claims))).toEqual(does);
    });
  });
});

describe("revisions of a StatefulSet", () => {
  const older = [3, 4, 5].map((number) => ({
    ...newRevision(revised, statefulSet({}, `image-${number}`), number - 3, 0),
    metadata: { name: `older-${number}` },
  }));
  it.each([
    { limit: undefined, pods: [], outdated: [] },
    { limit: 1, pods: [], outdated: ["older-3", "older-4"] },
    { limit: 0, pods: [], outdated: ["older-3", "older-4", "older-5"] },
    { limit: 0, pods: ["0 older-3"], outdated: ["older-4", "older-5"] },
  ])("over the limit $limit with pods $pods: $outdated", ({ limit, pods, outdated }) => {
    const running = pods.map((sketch) => {
      const [ordinal = "", revision = ""] = sketch.split(" ");
      return statefulPod(statefulSet(), statefulSet().spec!.template, revision, Number(ordinal));
    });
    const plan = decideStatefulSet({
      set: statefulSet(limit === undefined ? {} : { revisionHistoryLimit: limit }),
      pods: running,
      revisions: [update, ...older],
      update,
      collisions: 0,
      claim: () => undefined,
      now,
    });
    expect(plan.outdated.map(({ metadata }) => metadata.name)).toEqual(outdated);
  });
});

describe("the result of a pass", () => {
  const refused = (code: number, reason: string): ApiError => new ApiError({ code, reason, message: reason });
  const terminating = new ApiError({
    code: 403,
    reason: "Forbidden",
    message: "",
    details: { causes: [{ reason: "NamespaceTerminating", message: "" }] },
  });
  const plan = { steps: [], status: { replicas: 0 }, outdated: [], requeueAfterMs: 7 };
  it.each<{ after: string; error?: unknown; written?: "written" | "outdated"; result: object }>([
    { after: "success", result: { type: "done", requeueAfterMs: 7 } },
    { after: "an outdated status", written: "outdated", result: { type: "done", requeue: true } },
    { after: "AlreadyExists", error: refused(409, "AlreadyExists"), result: { type: "done", requeue: true } },
    { after: "Conflict", error: refused(409, "Conflict"), result: { type: "done", requeue: true } },
    { after: "NotFound", error: refused(404, "NotFound"), result: { type: "done", requeue: true } },
    { after: "an error in a terminating namespace", error: terminating, result: { type: "done", requeueAfterMs: 7 } },
    {
      after: "Forbidden",
      error: refused(403, "Forbidden"),
      result: { type: "failed", error: expect.objectContaining({ code: 403 }) },
    },
  ])("after $after", ({ error, written = "written", result }) => {
    expect(decideResult(plan, { error, written })).toEqual(result);
  });
});
