import { describe, expect, test } from "vitest";
import { formatTime } from "../../../../language/object/time.ts";
import type { Job, Pod } from "../workload-objects.ts";
import { noFailures } from "./backoff.ts";
import { concludeJob, decideJob, requeueAfterMs, skipReason } from "./decide-job.ts";
import { trackingFinalizer } from "./job-fields.ts";
import { account } from "./job-status.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const startTime = formatTime(now - 60_000);

function job(spec: object = {}, status: object = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "sum", namespace: "default", uid: "j" },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 0,
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "one" }] } },
      ...spec,
    },
    status: { startTime, ...status },
  };
}

function pod(phase: string, index: number): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `p${index}`,
      namespace: "default",
      uid: `u${index}`,
      finalizers: [trackingFinalizer],
      creationTimestamp: formatTime(now),
    },
    status: { phase },
  };
}

const condition = (type: string, status = "True"): object => ({ conditions: [{ type, status }] });

describe("a Job", () => {
  test.each([
    { is: "new", of: job(), reason: undefined },
    { is: "managed by another controller", of: job({ managedBy: "example.com/jobs" }), reason: "ManagedByOther" },
    { is: "managed by name", of: job({ managedBy: "kubernetes.io/job-controller" }), reason: undefined },
    { is: "complete", of: job({}, condition("Complete")), reason: "Finished" },
    { is: "failed", of: job({}, condition("Failed")), reason: "Finished" },
    { is: "about to fail", of: job({}, condition("FailureTarget")), reason: undefined },
    { is: "complete no longer", of: job({}, condition("Complete", "False")), reason: undefined },
  ])("that is $is is skipped for the reason $reason", ({ of, reason }) => {
    expect(skipReason(of)).toBe(reason);
  });

  test.each<{ when: string; of: Job; pods: string[]; settled?: boolean; does: string; verdict?: string }>([
    { when: "it has no pods", of: job(), pods: [], does: "create" },
    { when: "the cache lags behind", of: job(), pods: [], settled: false, does: "enough" },
    { when: "it failed too often", of: job(), pods: ["Failed"], does: "end", verdict: "BackoffLimitExceeded" },
    {
      when: "it failed too often and the cache lags behind",
      of: job(),
      pods: ["Failed"],
      settled: false,
      does: "end",
      verdict: "BackoffLimitExceeded",
    },
    { when: "it may fail once more", of: job({ backoffLimit: 1 }), pods: ["Failed"], does: "wait" },
  ])("when $when: $does", ({ of, pods, settled = true, does, verdict }) => {
    const input = { job: of, pods: pods.map(pod), released: new Set<string>(), failures: noFailures, settled, now };
    const decision = decideJob(input);
    expect({ does: decision.pods.type, verdict: decision.assessment.verdict?.reason }).toEqual({ does, verdict });
  });

  test.each([
    { waits: { pods: undefined, deadlineInMs: undefined, expectations: undefined }, next: undefined },
    { waits: { pods: 500, deadlineInMs: undefined, expectations: undefined }, next: 500 },
    { waits: { pods: 500, deadlineInMs: 20, expectations: 300 }, next: 20 },
    { waits: { pods: undefined, deadlineInMs: undefined, expectations: 300 }, next: 300 },
  ])("with the waits $waits is reconciled after $next", ({ waits, next }) => {
    const { assessment } = decideJob({
      job: job(),
      pods: [],
      released: new Set(),
      failures: noFailures,
      settled: true,
      now,
    });
    const pods = waits.pods === undefined ? ({ type: "enough" } as const) : ({ type: "wait", ms: waits.pods } as const);
    expect(requeueAfterMs(pods, { ...assessment, deadlineInMs: waits.deadlineInMs }, waits.expectations)).toBe(next);
  });
});

describe("after its pods were released a Job", () => {
  interface Case {
    that: string;
    of?: Job;
    pods: string[];
    unreleased?: string[];
    /** Whether all pods of a Job that ends were deleted. */
    done?: boolean;
    ends?: string;
    counts: object;
    events: string[];
  }
  test.each<Case>([
    {
      that: "has enough successes is complete",
      pods: ["Succeeded"],
      ends: "Complete",
      counts: { succeeded: 1, uncountedTerminatedPods: {} },
      events: ["Normal Completed"],
    },
    {
      that: "has more successes than asked for is complete, with a warning",
      pods: ["Succeeded", "Succeeded"],
      ends: "Complete",
      counts: { succeeded: 2, uncountedTerminatedPods: {} },
      events: ["Warning TooManySucceededPods", "Normal Completed"],
    },
    {
      that: "has a pod that could not be released goes on, and still names the pod",
      pods: ["Succeeded"],
      unreleased: ["u0"],
      counts: { uncountedTerminatedPods: { succeeded: ["u0"] } },
      events: [],
    },
    {
      that: "has too few successes goes on",
      of: job({ completions: 2 }),
      pods: ["Succeeded"],
      counts: { succeeded: 1, uncountedTerminatedPods: {} },
      events: [],
    },
    {
      that: "failed too often is failed",
      pods: ["Failed"],
      ends: "Failed",
      counts: { failed: 1, uncountedTerminatedPods: {} },
      events: ["Warning BackoffLimitExceeded"],
    },
    {
      that: "failed too often, but has pods that could not be deleted, goes on",
      pods: ["Failed"],
      done: false,
      counts: { failed: 1, uncountedTerminatedPods: {} },
      events: [],
    },
  ])("that $that", ({ of = job(), pods, unreleased = [], done = true, ends, counts, events }) => {
    const input = { job: of, pods: pods.map(pod), released: new Set<string>(), failures: noFailures, now };
    const { assessment } = decideJob({ ...input, settled: true });
    const accounting = account(assessment, { created: 0, deleted: [], managed: true, done });
    const conclusion = concludeJob({
      assessment,
      accounting,
      status: accounting.status,
      unreleased: new Set(unreleased),
    });
    const { succeeded, failed, uncountedTerminatedPods, conditions = [] } = conclusion.status;
    expect({ succeeded, failed, uncountedTerminatedPods }).toEqual(counts);
    expect(conditions.find(({ type }) => type === "Complete" || type === "Failed")?.type).toBe(ends);
    expect(conclusion.events.map(({ type, reason }) => `${type} ${reason}`)).toEqual(events);
  });
});
