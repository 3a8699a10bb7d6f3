import type { Cache } from "../../cluster/kube/cache.ts";
import type { Metrics } from "../../cluster/runtime/metrics/metrics.ts";
import type { PerformanceProfile } from "../../domain/performance-profile/api.ts";
import { isTrue } from "../../language/object/condition.ts";

const conditions = ["Available", "Progressing", "Degraded"] as const;

/** Counts PerformanceProfiles by their state. Returns a function that stops that. */
export function performanceProfileMetrics(metrics: Metrics, profiles: Cache<PerformanceProfile>): () => void {
  const gauge = metrics.gauge("attune_performance_profiles", "PerformanceProfiles with the condition.", ["condition"]);
  return metrics.onCollect(() => {
    for (const condition of conditions)
      gauge
        .labels({ condition })
        .set(profiles.list().filter(({ status }) => isTrue(status?.conditions, condition)).length);
  });
}
