import type { Counter, Gauge, Histogram, Metrics } from "../metrics/metrics.ts";

export type Outcome = "success" | "error" | "requeue" | "requeue_after";

/** The series that dashboards for Go operators use, one set per controller. */
export interface ControllerMetrics {
  reconciles: Record<Outcome, Counter>;
  errors: Counter;
  panics: Counter;
  seconds: Histogram;
  activeWorkers: Gauge;
}

const buckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

export function controllerMetrics(metrics: Metrics, controller: string, concurrency: number): ControllerMetrics {
  const labels = ["controller"];
  const values = { controller };
  const total = metrics.counter("controller_runtime_reconcile_total", "Reconciles by outcome.", [
    "controller",
    "result",
  ]);
  const outcome = (result: Outcome): Counter => total.labels({ controller, result });
  metrics
    .gauge("controller_runtime_max_concurrent_reconciles", "Workers of a controller.", labels)
    .labels(values)
    .set(concurrency);
  return {
    reconciles: {
      success: outcome("success"),
      error: outcome("error"),
      requeue: outcome("requeue"),
      requeue_after: outcome("requeue_after"),
    },
    errors: metrics
      .counter("controller_runtime_reconcile_errors_total", "Reconciles that failed.", labels)
      .labels(values),
    panics: metrics
      .counter(
        "controller_runtime_reconcile_panics_total",
        "Reconciles that failed because of a bug in the program.",
        labels,
      )
      .labels(values),
    seconds: metrics
      .histogram("controller_runtime_reconcile_time_seconds", "Time a reconcile takes.", labels, buckets)
      .labels(values),
    activeWorkers: metrics.gauge("controller_runtime_active_workers", "Workers that are busy.", labels).labels(values),
  };
}
