import type { Counter, Exposition, Family, Gauge, Histogram, LabelValues, Metrics } from "./metrics.ts";

/** Metrics kept by prom-client, which only this function loads. */
export async function createPromMetrics(): Promise<Metrics & Exposition> {
  const { default: prom } = await import("prom-client");
  const registry = new prom.Registry();
  const families = new Map<string, unknown>();
  const collectors = new Set<() => void>();

  function once<M>(name: string, make: () => Family<M>): Family<M> {
    let found = families.get(name) as Family<M> | undefined;
    if (!found) families.set(name, (found = make()));
    return found;
  }

  return {
    contentType: registry.contentType,

    counter: (name, help, labelNames = []) =>
      once<Counter>(name, () => {
        const metric = new prom.Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
        return family(metric, labelNames, (values) => {
          metric.inc(values, 0);
          return metric.labels(values);
        });
      }),

    gauge: (name, help, labelNames = []) =>
      once<Gauge>(name, () => {
        const metric = new prom.Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
        return family(metric, labelNames, (values) => {
          metric.inc(values, 0);
          const series = metric.labels(values);
          return { set: (value) => series.set(value), add: (by) => series.inc(by) };
        });
      }),

    histogram: (name, help, labelNames = [], buckets) =>
      once<Histogram>(name, () => {
        const metric = new prom.Histogram({
          name,
          help,
          labelNames: [...labelNames],
          registers: [registry],
          ...(buckets ? { buckets: [...buckets] } : {}),
        });
        return family(metric, labelNames, (values) => {
          metric.zero(values);
          return metric.labels(values);
        });
      }),

    onCollect(callback) {
      collectors.add(callback);
      return () => collectors.delete(callback);
    },

    text() {
      for (const collect of collectors) collect();
      return registry.metrics();
    },
  };
}

/** Makes each series once: prom-client would set that of a histogram to zero again. */
function family<M>(
  metric: { remove(values: LabelValues): void },
  labelNames: readonly string[],
  make: (values: LabelValues) => M,
): Family<M> {
  const series = new Map<string, M>();
  const keyOf = (values: LabelValues): string => labelNames.map((name) => values[name] ?? "").join("\0");
  return {
    labels(values = {}) {
      const key = keyOf(values);
      let found = series.get(key);
      if (!found) series.set(key, (found = make(values)));
      return found;
    },
    remove(values) {
      series.delete(keyOf(values));
      metric.remove(values);
    },
  };
}
