import { describe, expect, test } from "vitest";
import { countRequests, type Metrics } from "./metrics.ts";
import { createPromMetrics } from "./prom-metrics.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { WorkQueue } from "../queue/work-queue.ts";

/** Samples of the exposition, without comments and buckets. */
async function samples(fill: (metrics: Metrics) => void | Promise<void>): Promise<string[]> {
  const metrics = await createPromMetrics();
  await fill(metrics);
  return (await metrics.text())
    .split("\n")
    .filter((line) => line && !line.startsWith("#") && !line.includes("_bucket"));
}

describe("metrics kept by prom-client", () => {
  test("a series exists, at zero, as soon as it is named", async () => {
    const found = await samples((metrics) => {
      metrics.counter("c_total", "c", ["a"]).labels({ a: "x" });
      metrics.gauge("g", "g").labels();
      metrics.histogram("h", "h", ["a"], [1]).labels({ a: "x" });
    });
    expect(found).toEqual(['c_total{a="x"} 0', "g 0", 'h_sum{a="x"} 0', 'h_count{a="x"} 0']);
  });

  test("two calls with one name return one metric", async () => {
    const found = await samples((metrics) => {
      for (const a of ["x", "y", "x"]) metrics.counter("c_total", "c", ["a"]).labels({ a }).inc();
    });
    expect(found).toEqual(['c_total{a="x"} 2', 'c_total{a="y"} 1']);
  });

  test("a series that is named again keeps its value, until it is removed", async () => {
    const found = await samples((metrics) => {
      const durations = metrics.histogram("h", "h", ["a"], [1]);
      for (const a of ["x", "y", "x", "y"]) durations.labels({ a }).observe(2);
      durations.remove({ a: "y" });
      durations.labels({ a: "y" });
    });
    expect(found).toEqual(['h_sum{a="x"} 4', 'h_count{a="x"} 2', 'h_sum{a="y"} 0', 'h_count{a="y"} 0']);
  });

  test("requests are counted by code, method and host", async () => {
    const found = await samples((metrics) => {
      const count = countRequests(metrics);
      count({ method: "GET", host: "h:1", code: "200" });
      count({ method: "GET", host: "h:1", code: "200" });
      count({ method: "PUT", host: "h:1", code: "<error>" });
    });
    expect(found).toEqual([
      'rest_client_requests_total{code="200",method="GET",host="h:1"} 2',
      'rest_client_requests_total{code="<error>",method="PUT",host="h:1"} 1',
    ]);
  });
});

test("a work queue has the series of client-go's", async () => {
  const found = await samples(async (metrics) => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ name: "profile", clock, metrics });
    for (const key of ["a", "b", "c", "a"]) queue.add(key);
    await clock.advance(1000);
    await queue.take();
    await queue.take();
    await clock.advance(2000);
    queue.done("a");
    queue.addRateLimited("a");
    await clock.advance(4);
  });
  const labels = '{name="profile",controller="profile"}';
  expect(found).toEqual([
    `workqueue_depth${labels} 1`,
    `workqueue_adds_total${labels} 3`,
    `workqueue_retries_total${labels} 1`,
    `workqueue_queue_duration_seconds_sum${labels} 2`,
    `workqueue_queue_duration_seconds_count${labels} 2`,
    `workqueue_work_duration_seconds_sum${labels} 2`,
    `workqueue_work_duration_seconds_count${labels} 1`,
    `workqueue_unfinished_work_seconds${labels} 2.004`,
    `workqueue_longest_running_processor_seconds${labels} 2.004`,
  ]);
});
