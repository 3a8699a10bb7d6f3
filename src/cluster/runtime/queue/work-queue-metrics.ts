import type { Counter, Gauge, Histogram, Metrics } from "../metrics/metrics.ts";

/** The series that dashboards for Go operators use, one set per queue. */
export interface WorkQueueMetrics {
  depth: Gauge;
  adds: Counter;
  retries: Counter;
  queueSeconds: Histogram;
  workSeconds: Histogram;
  unfinishedSeconds: Gauge;
  longestSeconds: Gauge;
}

/** Ten nanoseconds to a thousand seconds, as in client-go's work queue. */
const buckets = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`));

export function workQueueMetrics(metrics: Metrics, name: string, controller: string): WorkQueueMetrics {
  const labels = ["name", "controller"];
  const values = { name, controller };
  return {
    depth: metrics.gauge("workqueue_depth", "Keys waiting in the queue.", labels).labels(values),
    adds: metrics.counter("workqueue_adds_total", "Keys that entered the queue.", labels).labels(values),
    retries: metrics.counter("workqueue_retries_total", "Keys put back for later.", labels).labels(values),
    queueSeconds: metrics
      .histogram("workqueue_queue_duration_seconds", "Time a key waits before a worker takes it.", labels, buckets)
      .labels(values),
    workSeconds: metrics
      .histogram("workqueue_work_duration_seconds", "Time a worker spends on a key.", labels, buckets)
      .labels(values),
    unfinishedSeconds: metrics
      .gauge("workqueue_unfinished_work_seconds", "Age of all work in progress, added up.", labels)
      .labels(values),
    longestSeconds: metrics
      .gauge("workqueue_longest_running_processor_seconds", "Age of the oldest work in progress.", labels)
      .labels(values),
  };
}
