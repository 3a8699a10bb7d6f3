import { expect, it } from "vitest";
import type { Cache } from "../../cluster/kube/cache.ts";
import { createPromMetrics } from "../../cluster/runtime/metrics/prom-metrics.ts";
import type { PerformanceProfile } from "../../domain/performance-profile/api.ts";
import { performanceProfileMetrics } from "./performance-profile-metrics.ts";

it("counts PerformanceProfiles by their condition, and those of none as zero", async () => {
  const having = (type: string): object => ({ status: { conditions: [{ type, status: "True" }] } });
  let all = [having("Available"), having("Available"), having("Degraded"), {}];
  const profiles = { list: () => all } as unknown as Cache<PerformanceProfile>;
  const metrics = await createPromMetrics();
  const stop = performanceProfileMetrics(metrics, profiles);
  const shown = async (): Promise<string[]> =>
    (await metrics.text()).split("\n").filter((line) => line.startsWith("attune_performance_profiles"));
  const counted = (available: number, progressing: number, degraded: number): string[] => [
    `attune_performance_profiles{condition="Available"} ${available}`,
    `attune_performance_profiles{condition="Progressing"} ${progressing}`,
    `attune_performance_profiles{condition="Degraded"} ${degraded}`,
  ];
  expect(await shown()).toEqual(counted(2, 0, 1));
  all = [];
  expect(await shown()).toEqual(counted(0, 0, 0));
  stop();
});
