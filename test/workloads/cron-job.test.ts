import { afterEach, describe, expect, it } from "vitest";
import { kinds } from "../../src/cluster/kube/kinds.ts";
import { runCronJobs } from "../../src/embedded/lab/workloads/cron-job/cron-job-controller.ts";
import { runJobs } from "../../src/embedded/lab/workloads/job/job-controller.ts";
import type { CronJob } from "../../src/embedded/lab/workloads/workload-objects.ts";
import { prepared, type Stage, staged } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const minuteMs = 60_000;
const cronJob = (spec: object = {}): Omit<CronJob, "apiVersion" | "kind"> => ({
  metadata: { name: "tick" },
  spec: {
    schedule: "*/5 * * * *",
    jobTemplate: {
      metadata: { labels: { app: "tick" } },
      spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "one" }] } } },
    },
    ...spec,
  },
});
const jobNames = async (): Promise<string[]> =>
  (await stage.list(kinds.job)).map(({ metadata }) => metadata.name ?? "").toSorted();
/** Lets minutes pass one by one, as kubelets do their work. */
async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute++) {
    await stage.clock.advance(minuteMs);
    await stage.settle();
  }
}

describe("a CronJob", () => {
  it("starts a Job at every time of its schedule, and keeps as many as its history limits say", async () => {
    stage = await staged(runCronJobs, runJobs);
    stage.play = () => ({ phase: "Succeeded" });
    await stage.create(kinds.cronJob, cronJob({ successfulJobsHistoryLimit: 2 }));
    await stage.settle();
    expect(await jobNames()).toEqual([]);
    await pass(21);
    const jobs = await stage.list(kinds.job);
    const scheduled = "batch.kubernetes.io/cronjob-scheduled-timestamp";
    const times = jobs.map(({ metadata }) => metadata.annotations?.[scheduled] ?? "");
    expect(times.toSorted()).toEqual(["2026-01-01T00:15:00Z", "2026-01-01T00:20:00Z"]);
    expect(jobs[0]?.metadata).toMatchObject({
      labels: { app: "tick" },
      ownerReferences: [{ kind: "CronJob", name: "tick" }],
    });
    const { status } = await stage.get(kinds.cronJob, "tick");
    expect(status).toMatchObject({ lastScheduleTime: "2026-01-01T00:20:00Z" });
    expect(status?.active).toBeUndefined();
    expect(status?.lastSuccessfulTime).toBeDefined();
    expect(await stage.events("CronJob")).toContain(`SuccessfulCreate: Created job ${(await jobNames()).at(-1)}`);
  });

  it.each([
    ["Allow", 2],
    ["Forbid", 1],
    ["Replace", 1],
  ])(
    "with the policy %s has %i Jobs when the first still runs at the second time",
    async (concurrencyPolicy, count) => {
      stage = await staged(runCronJobs, runJobs);
      await stage.create(kinds.cronJob, cronJob({ concurrencyPolicy }));
      await pass(5);
      const [first] = await jobNames();
      await pass(5);
      const names = await jobNames();
      expect([names.length, names.includes(first ?? "")]).toEqual([count, concurrencyPolicy !== "Replace"]);
      expect((await stage.get(kinds.cronJob, "tick")).status?.active).toHaveLength(count);
    },
  );

  it("starts nothing while it is suspended, and one Job for all times that it missed", async () => {
    stage = await staged(runCronJobs, runJobs);
    await stage.create(kinds.cronJob, cronJob({ suspend: true }));
    await pass(16);
    expect(await jobNames()).toEqual([]);
    await stage.merge(kinds.cronJob, "tick", { spec: { suspend: false } });
    await stage.settle();
    expect(await jobNames()).toHaveLength(1);
    expect((await stage.get(kinds.cronJob, "tick")).status?.lastScheduleTime).toBe("2026-01-01T00:15:00Z");
  });

  it("does not make up for a time whose deadline has passed", async () => {
    stage = await prepared(runCronJobs, runJobs);
    await stage.create(kinds.cronJob, cronJob({ schedule: "0 * * * *", startingDeadlineSeconds: 30 }));
    await stage.clock.advance(90 * minuteMs);
    stage.start();
    await stage.settle();
    expect(await jobNames()).toEqual([]);
    expect(await stage.events("CronJob")).toEqual([
      "MissSchedule: Missed scheduled time to start a job: 2026-01-01T01:00:00Z",
    ]);
  });

  it("starts no Job twice when its controller crashes before it has written the status", async () => {
    stage = await prepared(runCronJobs, runJobs);
    await stage.create(kinds.cronJob, cronJob());
    stage.start({
      beforeWrite: (write) => {
        if (write.startsWith("update cronjobs")) throw new Error("crashed");
      },
    });
    await pass(5);
    await stage.crash();
    stage.start();
    await stage.settle();
    expect(await jobNames()).toHaveLength(1);
    expect((await stage.get(kinds.cronJob, "tick")).status?.active).toHaveLength(1);
  });
});
