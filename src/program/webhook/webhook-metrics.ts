import type { Handlers, Verdict } from "./handler.ts";
import { type Metrics, noMetrics } from "../../cluster/runtime/metrics/metrics.ts";

export interface WebhookMetrics {
  admission(handler: string, operation: string, outcome: "allowed" | "denied" | "error", seconds: number): void;
  decision(handler: string, verdict: Verdict): void;
  conversion(definition: string, outcome: "converted" | "failed" | "error", objects: number, seconds: number): void;
  certificateExpires(atMs: number): void;
}

const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

/** Reviews of all handlers are counted from zero: Prometheus sees no increase in a series that starts with its first review. */
export function webhookMetrics(
  { admission, conversion }: Handlers,
  inFlight: () => number,
  metrics: Metrics = noMetrics,
): WebhookMetrics {
  const admissions = metrics.counter("attune_webhook_admission_requests_total", "Admission reviews by outcome.", [
    "handler",
    "operation",
    "outcome",
  ]);
  const decisions = metrics.counter(
    "attune_webhook_decisions_total",
    "Decisions about pods and nodes of partitioned clusters, by the rule that decided.",
    ["handler", "rule", "outcome"],
  );
  const conversions = metrics.counter("attune_webhook_conversion_requests_total", "Conversion reviews by outcome.", [
    "definition",
    "outcome",
  ]);
  const objects = metrics.counter("attune_webhook_converted_objects_total", "Objects converted.", ["definition"]);
  const durations = metrics.histogram(
    "attune_webhook_request_duration_seconds",
    "Time to answer a review after it was read.",
    ["handler"],
    buckets,
  );
  const end = metrics.gauge("attune_webhook_certificate_not_after_seconds", "When the serving certificate expires.");
  const current = metrics.gauge("attune_webhook_requests_in_flight", "Reviews in flight.");
  metrics.onCollect(() => current.labels().set(inFlight()));
  for (const { name: handler, rules } of admission) {
    durations.labels({ handler });
    admissions.labels({ handler, operation: "", outcome: "error" });
    for (const operation of new Set(rules.flatMap((rule) => rule.operations)))
      for (const outcome of ["allowed", "denied"]) admissions.labels({ handler, operation, outcome });
  }
  for (const { definition } of conversion) {
    durations.labels({ handler: definition });
    objects.labels({ definition });
    for (const outcome of ["converted", "failed", "error"]) conversions.labels({ definition, outcome });
  }
  return {
    admission(handler, operation, outcome, seconds) {
      admissions.labels({ handler, operation, outcome }).inc();
      durations.labels({ handler }).observe(seconds);
    },
    decision: (handler, verdict) => decisions.labels({ handler, ...verdict }).inc(),
    conversion(definition, outcome, count, seconds) {
      conversions.labels({ definition, outcome }).inc();
      if (outcome === "converted") objects.labels({ definition }).inc(count);
      durations.labels({ handler: definition }).observe(seconds);
    },
    certificateExpires: (atMs) => end.labels().set(atMs / 1000),
  };
}
