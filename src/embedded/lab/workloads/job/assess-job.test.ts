import { describe, expect, it } from "vitest";
import { formatTime } from "../../../../language/object/time.ts";
import type { Job, Pod } from "../workload-objects.ts";
import { assessJob } from "./assess-job.ts";
import { noFailures } from "./backoff.ts";
import { decidePods } from "./decide-pods.ts";
import { trackingFinalizer } from "./job-fields.ts";

const now = Date.parse("2026-01-01T00:00:00Z");

function job(spec: object = {}, status: object = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "sum", namespace: "default", uid: "j" },
    spec: {
      parallelism: 2,
      backoffLimit: 6,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "one" }] } },
      ...spec,
    },
    status: { startTime: formatTime(now - 60_000), ...status },
  };
}

/** `Failed`, `Running`, `Succeeded 3`, `Running 3 terminating`, with a uid by its position. */
function pod(sketch: string, place: number): Pod {
  const [phase = "", index = "", state = ""] = sketch.split(" ");
  const finishedAt = formatTime(now - 3000);
  const exitCode = phase === "Failed" ? 1 : 0;
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `p${place}`,
      namespace: "default",
      uid: `u${place}`,
      finalizers: [trackingFinalizer],
      annotations: index ? { "batch.kubernetes.io/job-completion-index": index } : {},
      ...(state === "terminating" && { deletionTimestamp: formatTime(now) }),
    },
    status: {
      phase,
      containerStatuses:
        phase === "Running"
          ? []
          : [
              {
                name: "c",
                image: "",
                imageID: "",
                ready: false,
                restartCount: 0,
                state: { terminated: { exitCode, finishedAt } },
              },
            ],
    },
  };
}

const indexed = { completionMode: "Indexed", completions: 4, parallelism: 4 };
const assess = (of: Job, pods: readonly string[]): ReturnType<typeof assessJob> =>
  assessJob({ job: of, pods: pods.map(pod), released: new Set(), failures: noFailures, now });

describe("a Job has to end", () => {
  const onExit = (action: string): object => ({
    podFailurePolicy: { rules: [{ action, onExitCodes: { operator: "In", values: [1] } }] },
  });
  it.each<{ when: string; of: Job; pods: string[]; because: string | undefined }>([
    {
      when: "never, while it may fail once more",
      of: job({ backoffLimit: 1 }),
      pods: ["Failed"],
      because: undefined,
    },
    {
      when: "when it failed too often",
      of: job({ backoffLimit: 1 }),
      pods: ["Failed", "Failed"],
      because: "BackoffLimitExceeded",
    },
    {
      when: "when it failed too often before",
      of: job({ backoffLimit: 1 }, { failed: 1 }),
      pods: ["Failed"],
      because: "BackoffLimitExceeded",
    },
    {
      when: "never for a failed pod that is counted already",
      of: job({ backoffLimit: 1 }, { uncountedTerminatedPods: { failed: ["u0"] } }),
      pods: ["Failed"],
      because: undefined,
    },
    {
      when: "when pods were deleted too often",
      of: job({ backoffLimit: 0 }),
      pods: ["Running 0 terminating"],
      because: "BackoffLimitExceeded",
    },
    {
      when: "never for a terminating pod whose end is waited for",
      of: job({ backoffLimit: 0, podReplacementPolicy: "Failed" }),
      pods: ["Running 0 terminating"],
      because: undefined,
    },
    { when: "at its deadline", of: job({ activeDeadlineSeconds: 60 }), pods: [], because: "DeadlineExceeded" },
    {
      when: "never at a deadline while it is suspended",
      of: job({ activeDeadlineSeconds: 60, suspend: true }),
      pods: [],
      because: undefined,
    },
    {
      when: "when the pod failure policy has FailJob",
      of: job(onExit("FailJob")),
      pods: ["Failed"],
      because: "PodFailurePolicy",
    },
    {
      when: "never for a failure that the policy ignores",
      of: job({ ...onExit("Ignore"), backoffLimit: 0 }),
      pods: ["Failed"],
      because: undefined,
    },
    {
      when: "when every index is done and one failed",
      of: job({ ...indexed, completions: 2, backoffLimitPerIndex: 0 }),
      pods: ["Failed 0", "Succeeded 1"],
      because: "FailedIndexes",
    },
    {
      when: "when too many indexes failed",
      of: job({ ...indexed, backoffLimitPerIndex: 0, maxFailedIndexes: 1 }),
      pods: ["Failed 0", "Failed 1"],
      because: "MaxFailedIndexesExceeded",
    },
    {
      when: "when enough indexes succeeded",
      of: job({ ...indexed, successPolicy: { rules: [{ succeededIndexes: "1-3", succeededCount: 2 }] } }),
      pods: ["Succeeded 1", "Succeeded 3"],
      because: "SuccessPolicy",
    },
    {
      when: "never when other indexes succeeded",
      of: job({ ...indexed, successPolicy: { rules: [{ succeededIndexes: "1-3", succeededCount: 2 }] } }),
      pods: ["Succeeded 0", "Succeeded 3"],
      because: undefined,
    },
  ])("$when", ({ of, pods, because }) => {
    expect(assess(of, pods).verdict?.reason).toBe(because);
  });
});

describe("the pods of a Job", () => {
  it.each<{ when: string; of: Job; pods: string[]; does: object }>([
    { when: "as many as may run at once", of: job({ completions: 5 }), pods: [], does: { type: "create", pods: 2 } },
    {
      when: "no more than are missing",
      of: job({ completions: 5 }, { succeeded: 4 }),
      pods: [],
      does: { type: "create", pods: 1 },
    },
    {
      when: "none after a success, without completions",
      of: job(),
      pods: ["Succeeded", "Running"],
      does: { type: "enough" },
    },
    {
      when: "surplus pods are deleted",
      of: job({ parallelism: 1 }),
      pods: ["Running", "Running", "Running"],
      does: { type: "delete", pods: 2 },
    },
    {
      when: "all are deleted while suspended",
      of: job({ suspend: true }),
      pods: ["Running", "Running"],
      does: { type: "delete", pods: 2 },
    },
    { when: "the next one is delayed after a failure", of: job(), pods: ["Failed"], does: { type: "wait", ms: 7000 } },
    {
      when: "one more for one that succeeded",
      of: job({ completions: 9 }, { succeeded: 1 }),
      pods: ["Running", "Succeeded"],
      does: { type: "create", pods: 1 },
    },
    {
      when: "a terminating pod is replaced only after its end, where that is waited for",
      of: job({ podReplacementPolicy: "Failed" }),
      pods: ["Running 0 terminating", "Running"],
      does: { type: "enough" },
    },
    {
      when: "indexes without a pod get one",
      of: job(indexed, { completedIndexes: "1", succeeded: 1 }),
      pods: ["Running 2"],
      does: { type: "create", pods: 2 },
    },
    {
      when: "of two pods of an index one is deleted",
      of: job(indexed),
      pods: ["Running 0", "Running 0", "Running 1"],
      does: { type: "delete", pods: 1 },
    },
    {
      when: "pods without a valid index are deleted",
      of: job(indexed),
      pods: ["Running", "Running 1", "Running 9"],
      does: { type: "delete", pods: 2 },
    },
  ])("$when", ({ of, pods, does }) => {
    const decision = decidePods(assess(of, pods), true);
    expect("pods" in decision ? { ...decision, pods: decision.pods.length } : decision).toEqual(does);
  });

  it("are not managed while the cache lags behind", () => {
    expect(decidePods(assess(job(), []), false)).toEqual({ type: "enough" });
  });
});
