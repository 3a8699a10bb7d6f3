import { afterEach, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runJobs } from "../../src/embedded/lab/workloads/job/job-controller.ts";
import type { Job, Pod } from "../../src/embedded/lab/workloads/workload-objects.ts";
import { formatTime } from "../../src/language/object/time.ts";
import { type Stage, staged } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

type Spec = Partial<NonNullable<Job["spec"]>>;
const job = (spec: Spec = {}): Omit<Job, "apiVersion" | "kind"> => ({
  metadata: { name: "sum" },
  spec: {
    template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "one" }] } },
    ...spec,
  },
});
const succeeded = { phase: "Succeeded" };
const indexOf = ({ metadata }: Pod): string => metadata.annotations?.["batch.kubernetes.io/job-completion-index"] ?? "";
function failed(exitCode = 1): object {
  const finishedAt = formatTime(stage.clock.now());
  const terminated = { exitCode, finishedAt, reason: "Error" };
  return {
    phase: "Failed",
    containerStatuses: [{ name: "c", image: "one", imageID: "", ready: false, restartCount: 0, state: { terminated } }],
  };
}

async function outcome(): Promise<object> {
  const { status = {} } = await stage.get(kinds.job, "sum");
  const { conditions = [], startTime: _, completionTime, ...counts } = status;
  return {
    ...counts,
    ...(completionTime && { completed: true }),
    conditions: conditions.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`),
  };
}
const complete = (reason = "CompletionsReached"): string[] => [
  `SuccessCriteriaMet=True ${reason}`,
  `Complete=True ${reason}`,
];
const failure = (reason: string): string[] => [`FailureTarget=True ${reason}`, `Failed=True ${reason}`];
const idle = { ready: 0, terminating: 0, uncountedTerminatedPods: {} };

describe("a Job", () => {
  it("completes after its completions, and never exceeds its parallelism", async () => {
    stage = await staged(runJobs);
    let most = 0;
    stage.play = () => succeeded;
    await stage.create(kinds.job, job({ completions: 5, parallelism: 2 }));
    for (let turn = 0; turn < 60; turn++) {
      await stage.clock.advance(10);
      most = Math.max(most, (await stage.pods()).filter(({ status }) => status?.phase === "Pending").length);
      await stage.playKubelets();
    }
    await stage.settle();
    expect(await outcome()).toEqual({ ...idle, succeeded: 5, completed: true, conditions: complete() });
    expect(most).toBe(2);
    expect((await stage.pods()).map(({ metadata }) => metadata.finalizers)).toEqual(Array(5).fill(undefined));
    expect((await stage.events("Job")).at(-1)).toBe("Completed: Job completed");
  });

  it("gives each pod an index, and replaces only indexes that failed", async () => {
    stage = await staged(runJobs);
    let failures = 0;
    stage.play = (pod) => (indexOf(pod) === "1" && failures++ === 0 ? failed() : succeeded);
    await stage.create(kinds.job, job({ completions: 3, parallelism: 3, completionMode: "Indexed" }));
    await stage.settle();
    await stage.clock.advance(10_000);
    await stage.settle();
    expect(await outcome()).toEqual({
      ...idle,
      succeeded: 3,
      failed: 1,
      completedIndexes: "0-2",
      completed: true,
      conditions: complete(),
    });
    const [pod] = (await stage.pods()).filter((one) => indexOf(one) === "2");
    expect(pod?.spec?.hostname).toBe("sum-2");
    expect(pod?.metadata.name).toMatch(/^sum-2-[a-z0-9]{5}$/);
    expect(pod?.metadata.labels?.["batch.kubernetes.io/job-completion-index"]).toBe("2");
    expect(pod?.spec?.containers[0]?.env).toEqual([
      {
        name: "JOB_COMPLETION_INDEX",
        valueFrom: {
          fieldRef: { apiVersion: "v1", fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" },
        },
      },
    ]);
  });

  it("waits longer after each failure, and fails after its backoffLimit", async () => {
    stage = await staged(runJobs);
    stage.play = () => failed();
    await stage.create(kinds.job, job({ backoffLimit: 2 }));
    const begun = stage.clock.now();
    const times: number[] = [];
    for (let second = 0; second < 60; second++) {
      await stage.playKubelets();
      await stage.clock.advance(1000);
      const count = (await stage.pods()).length;
      while (times.length < count) times.push(Math.round((stage.clock.now() - begun) / 1000));
    }
    await stage.settle();
    expect(await outcome()).toEqual({ ...idle, failed: 3, conditions: failure("BackoffLimitExceeded") });
    expect(times.length).toBe(3);
    const [first = 0, second = 0, third = 0] = times;
    expect([second - first, third - second].map((gap) => Math.round(gap / 10))).toEqual([1, 2]);
  });

  it("fails at its deadline", async () => {
    stage = await staged(runJobs);
    await stage.create(kinds.job, job({ activeDeadlineSeconds: 30, parallelism: 2 }));
    await stage.settle();
    await stage.clock.advance(31_000);
    await stage.settle();
    expect(await outcome()).toEqual({ ...idle, failed: 2, conditions: failure("DeadlineExceeded") });
    expect(await stage.pods()).toEqual([]);
  });

  it("has no pods while it is suspended, and counts none that it stopped", async () => {
    stage = await staged(runJobs);
    await stage.create(kinds.job, job({ parallelism: 2 }));
    await stage.settle();
    await stage.merge(kinds.job, "sum", { spec: { suspend: true } });
    await stage.settle();
    expect(await stage.pods()).toEqual([]);
    expect(await outcome()).toEqual({ ...idle, conditions: ["Suspended=True JobSuspended"] });
    stage.play = () => succeeded;
    await stage.merge(kinds.job, "sum", { spec: { suspend: false } });
    await stage.settle();
    expect(await outcome()).toMatchObject({ conditions: ["Suspended=False JobResumed", ...complete()] });
    expect((await stage.events("Job")).filter((event) => /^(Suspended|Resumed)/.test(event))).toEqual([
      "Suspended: Job suspended",
      "Resumed: Job resumed",
    ]);
  });

  it.each<{ rule: object; code: number; expected: object }>([
    {
      rule: { action: "FailJob", onExitCodes: { operator: "In", values: [42] } },
      code: 42,
      expected: { ...idle, failed: 1, conditions: failure("PodFailurePolicy") },
    },
    {
      rule: { action: "Ignore", onExitCodes: { operator: "NotIn", values: [1] } },
      code: 42,
      expected: { ...idle, succeeded: 1, completed: true, conditions: complete() },
    },
  ])("does as its failure policy says: $rule.action", async ({ rule, code, expected }) => {
    stage = await staged(runJobs);
    let failures = 0;
    stage.play = () => (failures++ === 0 ? failed(code) : succeeded);
    const podFailurePolicy = { rules: [rule] } as NonNullable<Spec["podFailurePolicy"]>;
    await stage.create(kinds.job, job({ backoffLimit: 0, podFailurePolicy }));
    await stage.settle();
    await stage.clock.advance(30_000);
    await stage.settle();
    expect(await outcome()).toEqual(expected);
  });

  it("fails an index after its own limit, and goes on with the others", async () => {
    stage = await staged(runJobs);
    stage.play = (pod) => (indexOf(pod) === "1" ? failed() : succeeded);
    const spec = { completions: 3, parallelism: 3, completionMode: "Indexed", backoffLimitPerIndex: 1 };
    await stage.create(kinds.job, job(spec));
    for (let turn = 0; turn < 4; turn++) {
      await stage.settle();
      await stage.clock.advance(10_000);
    }
    expect(await outcome()).toEqual({
      ...idle,
      succeeded: 2,
      failed: 2,
      completedIndexes: "0,2",
      failedIndexes: "1",
      conditions: failure("FailedIndexes"),
    });
  });

  it("succeeds early with a success policy, and stops the other pods", async () => {
    stage = await staged(runJobs);
    stage.play = (pod) => (indexOf(pod) === "0" ? succeeded : stage.ready(pod));
    const successPolicy = { rules: [{ succeededIndexes: "0" }] };
    await stage.create(kinds.job, job({ completions: 3, parallelism: 3, completionMode: "Indexed", successPolicy }));
    await stage.settle();
    expect(await outcome()).toMatchObject({
      succeeded: 1,
      completedIndexes: "0",
      conditions: complete("SuccessPolicy"),
    });
    expect((await stage.pods()).length).toBe(1);
  });

  it("releases its pods when it is deleted", async () => {
    stage = await staged(runJobs);
    await stage.create(kinds.job, job({ parallelism: 2 }));
    await stage.settle();
    await stage.client.delete(kinds.job, "sum", { namespace: "default", propagationPolicy: "Background" });
    await stage.settle();
    expect(await stage.pods()).toEqual([]);
  });
});
