import { describe, expect, test } from "vitest";
import { testPod } from "../testing/objects.ts";
import type { Pod, PodDisruptionBudget } from "../workload-objects.ts";
import { budgetStatus } from "./budget-status.ts";

const now = Date.parse("2026-01-01T00:10:00Z");

function budget(
  spec: NonNullable<PodDisruptionBudget["spec"]>,
  status?: Partial<NonNullable<PodDisruptionBudget["status"]>>,
): PodDisruptionBudget {
  return {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "b", namespace: "default", generation: 3 },
    spec,
    ...(status && {
      status: { currentHealthy: 0, desiredHealthy: 0, expectedPods: 0, disruptionsAllowed: 0, ...status },
    }),
  };
}

const pods = (ready: number, others = 0): Pod[] =>
  Array.from({ length: ready + others }, (_, i) =>
    testPod(`p${i}`, { status: { conditions: [{ type: "Ready", status: i < ready ? "True" : "False" }] } }),
  );

describe("a budget", () => {
  test.each([
    { spec: { minAvailable: 2 }, ready: 3, expected: 3, desired: 2, allowed: 1 },
    { spec: { minAvailable: 3 }, ready: 3, expected: 3, desired: 3, allowed: 0 },
    { spec: { minAvailable: 5 }, ready: 3, expected: 3, desired: 5, allowed: 0 },
    { spec: { minAvailable: "50%" }, ready: 3, expected: 3, desired: 2, allowed: 1 },
    { spec: { maxUnavailable: 1 }, ready: 2, expected: 3, desired: 2, allowed: 0 },
    { spec: { maxUnavailable: "34%" }, ready: 3, expected: 3, desired: 1, allowed: 2 },
    { spec: { maxUnavailable: 9 }, ready: 3, expected: 3, desired: 0, allowed: 3 },
    { spec: { maxUnavailable: 0 }, ready: 3, expected: 3, desired: 3, allowed: 0 },
    { spec: { minAvailable: 0 }, ready: 0, expected: 0, desired: 0, allowed: 0 },
  ])("of $spec with $ready of $expected ready allows $allowed", ({ spec, ready, expected, desired, allowed }) => {
    const input = {
      budget: budget(spec),
      pods: pods(ready),
      expected: { type: "count", count: expected } as const,
      now,
    };
    expect(budgetStatus(input).status).toMatchObject({
      observedGeneration: 3,
      currentHealthy: ready,
      desiredHealthy: desired,
      expectedPods: expected,
      disruptionsAllowed: allowed,
      conditions: [
        {
          type: "DisruptionAllowed",
          status: allowed > 0 ? "True" : "False",
          reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
          observedGeneration: 3,
        },
      ],
    });
  });

  test("does not count terminating pods, nor pods with a granted eviction", () => {
    const [terminating, evicted, expired] = pods(3);
    terminating!.metadata.deletionTimestamp = "2026-01-01T00:09:59Z";
    const disruptedPods = {
      p0: "2026-01-01T00:09:59Z",
      p1: "2026-01-01T00:09:00Z",
      p2: "2026-01-01T00:07:59Z",
      gone: "2026-01-01T00:09:00Z",
    };
    const decision = budgetStatus({
      budget: budget({ minAvailable: 1 }, { disruptedPods }),
      pods: [terminating!, evicted!, expired!],
      expected: { type: "count", count: 3 },
      now,
    });
    expect(decision.status).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
    expect(decision.status.disruptedPods).toEqual({ p1: "2026-01-01T00:09:00Z" });
    expect(decision.requeueAfterMs).toBe(60_000);
  });

  test("with an unknown number of pods allows no disruption, and reports why", () => {
    const { status } = budgetStatus({
      budget: budget({ maxUnavailable: 1 }, { disruptionsAllowed: 2, currentHealthy: 3 }),
      pods: pods(3),
      expected: { type: "unknown", message: 'found no controllers for pod "p0"' },
      now,
    });
    expect(status).toMatchObject({
      disruptionsAllowed: 0,
      currentHealthy: 3,
      conditions: [{ status: "False", reason: "SyncFailed", message: 'found no controllers for pod "p0"' }],
    });
  });
});
