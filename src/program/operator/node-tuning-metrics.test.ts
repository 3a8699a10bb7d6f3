import { expect, it } from "vitest";
import type { NodeTuningCaches } from "../../domain/node-tuning/node-tuning-controller.ts";
import { systemClock } from "../../cluster/runtime/clock.ts";
import { createPromMetrics } from "../../cluster/runtime/metrics/prom-metrics.ts";
import { nodeTuningMetrics } from "./node-tuning-metrics.ts";

/** Caches of an operator that has just started, and finds the status that an earlier one wrote. */
function found(status: string): NodeTuningCaches {
  const conditions = [{ type: "Degraded", status, reason: "ProfileConflict", message: "" }];
  const empty = { list: () => [], get: () => undefined, subscribe: () => () => undefined };
  const configMaps = { ...empty, get: () => ({ data: { "status.json": JSON.stringify({ conditions }) } }) };
  return { tuneds: empty, profiles: empty, nodes: empty, daemonSets: empty, configMaps } as unknown as NodeTuningCaches;
}

it.each([
  ["True", 1],
  ["False", 0],
])("after a restart the metric of a degraded operator is that of its status %s (Q-11)", async (status, value) => {
  const metrics = await createPromMetrics();
  const { stop } = nodeTuningMetrics(metrics, found(status), { namespace: "n", version: "1", clock: systemClock });
  expect((await metrics.text()).split("\n")).toContain(`nto_degraded_info ${value}`);
  stop();
});
