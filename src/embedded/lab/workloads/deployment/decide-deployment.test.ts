import { describe, expect, it } from "vitest";
import { formatTime } from "../../../../language/object/time.ts";
import type { Deployment, Pod, ReplicaSet } from "../workload-objects.ts";
import { decideDeployment, type DeploymentPlan } from "./decide-deployment.ts";
import { newReplicaSet } from "./new-replica-set.ts";

const now = Date.parse("2026-01-01T00:10:00Z");
const ago = (seconds: number): string => formatTime(now - seconds * 1000);

interface Old {
  image: string;
  /** `spec.replicas`, and the default of `available`. */
  size: number;
  available?: number;
  revision?: number;
  /** Size of the Deployment when it was scaled last. */
  desired?: number;
  max?: number;
  behind?: boolean;
}

function deployment(image: string, spec: Partial<NonNullable<Deployment["spec"]>> = {}): Deployment {
  const labels = { app: "web" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", uid: "d", generation: 1 },
    spec: {
      replicas: 10,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image }] } },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } },
      progressDeadlineSeconds: 600,
      ...spec,
    },
  };
}

function replicaSet({ image, size, available = size, revision = 1, desired = 10, max = 13, behind }: Old): ReplicaSet {
  const made = newReplicaSet(deployment(image));
  return {
    ...made,
    metadata: {
      ...made.metadata,
      uid: image,
      generation: 2,
      creationTimestamp: ago(1000 - revision),
      annotations: {
        "deployment.kubernetes.io/revision": String(revision),
        "deployment.kubernetes.io/desired-replicas": String(desired),
        "deployment.kubernetes.io/max-replicas": String(max),
      },
    },
    spec: { ...made.spec!, replicas: size },
    status: {
      replicas: size,
      readyReplicas: available,
      availableReplicas: available,
      observedGeneration: behind ? 1 : 2,
    },
  };
}

/** Sizes after the plan, by image. */
function sizes(plan: DeploymentPlan, before: readonly Old[]): Record<string, number | undefined> {
  const result: Record<string, number | undefined> = Object.fromEntries(before.map(({ image, size }) => [image, size]));
  for (const { spec } of [...plan.updates, ...(plan.create ? [plan.create] : [])])
    result[spec?.template?.spec?.containers[0]?.image ?? ""] = spec?.replicas;
  return result;
}

function decide(wanted: Deployment, before: readonly Old[], podsOf: (uid: string) => Pod[] = () => []): DeploymentPlan {
  return decideDeployment({ deployment: wanted, replicaSets: before.map(replicaSet), podsOf, now });
}

describe("a pass over a Deployment", () => {
  it.each<{ when: string; wanted: Deployment; before: Old[]; after: object }>([
    { when: "it has no ReplicaSet", wanted: deployment("a"), before: [], after: { a: 10 } },
    {
      when: "the template is new: the new one grows by maxSurge, the old one shrinks by maxUnavailable",
      wanted: deployment("b"),
      before: [{ image: "a", size: 10 }],
      after: { a: 8, b: 3 },
    },
    {
      when: "the surge is used up: the old one shrinks by maxUnavailable",
      wanted: deployment("b"),
      before: [
        { image: "a", size: 10 },
        { image: "b", size: 3, available: 0, revision: 2 },
      ],
      after: { a: 8, b: 3 },
    },
    {
      when: "there is room: the new one grows before the old one shrinks",
      wanted: deployment("b"),
      before: [
        { image: "a", size: 8 },
        { image: "b", size: 3, revision: 2 },
      ],
      after: { a: 8, b: 5 },
    },
    {
      when: "old pods are unavailable: they are deleted first, though the new ones are unavailable too",
      wanted: deployment("c"),
      before: [
        { image: "a", size: 8 },
        { image: "b", size: 5, available: 0, revision: 2 },
        { image: "c", size: 0, revision: 3 },
      ],
      after: { a: 8, b: 0, c: 0 },
    },
    {
      when: "the status of a ReplicaSet is of an earlier size: no old one shrinks",
      wanted: deployment("b", {
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 2 } },
      }),
      before: [
        { image: "a", size: 8, available: 10, behind: true },
        { image: "b", size: 2, revision: 2 },
      ],
      after: { a: 8, b: 2 },
    },
    {
      when: "it was scaled down during a rollout: each shrinks by its share",
      wanted: deployment("b", { replicas: 5 }),
      before: [
        { image: "a", size: 8 },
        { image: "b", size: 5, available: 0, revision: 2 },
      ],
      after: { a: 5, b: 3 },
    },
    {
      when: "it was scaled up during a rollout: each grows by its share",
      wanted: deployment("b", { replicas: 20 }),
      before: [
        { image: "a", size: 8 },
        { image: "b", size: 5, available: 0, revision: 2 },
      ],
      after: { a: 14, b: 9 },
    },
    {
      when: "it was scaled and one ReplicaSet has pods",
      wanted: deployment("a", { replicas: 0 }),
      before: [{ image: "a", size: 10 }],
      after: { a: 0 },
    },
    {
      when: "it is paused: a new template is not rolled out",
      wanted: deployment("b", { paused: true }),
      before: [{ image: "a", size: 10 }],
      after: { a: 10 },
    },
    {
      when: "the strategy is Recreate: the old one is scaled down first",
      wanted: deployment("b", { strategy: { type: "Recreate" } }),
      before: [{ image: "a", size: 10, max: 10 }],
      after: { a: 0 },
    },
    {
      when: "the strategy is Recreate and no old pod is left",
      wanted: deployment("b", { strategy: { type: "Recreate" } }),
      before: [{ image: "a", size: 0 }],
      after: { a: 0, b: 10 },
    },
  ])("when $when", ({ wanted, before, after }) => {
    expect(sizes(decide(wanted, before), before)).toEqual(after);
  });

  it("creates nothing while an old pod is terminating", () => {
    const wanted = deployment("b", { strategy: { type: "Recreate" } });
    const ending = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { deletionTimestamp: ago(1) },
      status: { phase: "Running" },
    };
    expect(decide(wanted, [{ image: "a", size: 0 }], () => [ending as Pod]).create).toBeUndefined();
  });

  it("gives a template that is used again the newest revision, and keeps its history", () => {
    const before = [
      { image: "a", size: 0, revision: 1 },
      { image: "b", size: 10, revision: 2 },
    ];
    const plan = decide(deployment("a"), before);
    expect(plan.revision).toBe("3");
    expect(plan.updates.find(({ metadata }) => metadata.uid === "a")?.metadata.annotations).toMatchObject({
      "deployment.kubernetes.io/revision": "3",
      "deployment.kubernetes.io/revision-history": "1",
    });
  });

  it("deletes the oldest ReplicaSets over the history limit once the rollout is complete", () => {
    const wanted = deployment("d", { revisionHistoryLimit: 1 });
    const complete = { replicas: 10, updatedReplicas: 10, availableReplicas: 10, observedGeneration: 1 };
    const before = ["a", "b", "c"].map((image, index) => ({ image, size: 0, revision: index + 1 }));
    const all = [...before, { image: "d", size: 10, revision: 4 }];
    expect(decide({ ...wanted, status: complete }, all).deletes.map(({ metadata }) => metadata.uid)).toEqual([
      "a",
      "b",
    ]);
    expect(decide(wanted, all).deletes).toEqual([]);
  });

  it.each([
    { seconds: 601, reason: "ProgressDeadlineExceeded", again: undefined },
    { seconds: 590, reason: "ReplicaSetUpdated", again: 11_000 },
  ])("$seconds s after the last progress has the reason $reason", ({ seconds, reason, again }) => {
    const status = {
      replicas: 13,
      updatedReplicas: 3,
      readyReplicas: 10,
      availableReplicas: 10,
      conditions: [
        {
          type: "Progressing",
          status: "True",
          reason: "ReplicaSetUpdated",
          lastUpdateTime: ago(seconds),
          lastTransitionTime: ago(seconds),
        },
      ],
    };
    const before = [
      { image: "a", size: 10 },
      { image: "b", size: 3, available: 0, revision: 2 },
    ];
    const plan = decide({ ...deployment("b"), status }, before);
    expect(plan.status.conditions?.find(({ type }) => type === "Progressing")?.reason).toBe(reason);
    expect(plan.requeueAfterMs).toBe(again);
  });
});
