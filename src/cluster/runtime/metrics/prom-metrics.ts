import type { Counter, Exposition, Family, Gauge, Histogram, Metrics } from "./metrics.ts";

/** Metrics kept by prom-client, which only this function loads. */
export async function createPromMetrics(): Promise<Metrics & Exposition> {
  const { default: prom } = await import("prom-client");
  const registry = new prom.Registry();
  const families = new Map<string, unknown>();
  const collectors = new Set<() => void>();

  function once<M>(name: string, make: () => Family<M>): Family<M> {
    let family = families.get(name) as Family<M> | undefined;
    if (!family) {
      family = make();
      families.set(name, family);
    }
    return family;
  }

  return {
    contentType: registry.contentType,

    counter: (name, help, labelNames = []) =>
      once<Counter>(name, () => {
        const metric = new prom.Counter({ name, help, labelNames: [...labelNames], registers: [registry] });
        return {
          labels(values = {}) {
            metric.inc(values, 0);
            return metric.labels(values);
          },
          remove: (values) => metric.remove(values),
        };
      }),

    gauge: (name, help, labelNames = []) =>
      once<Gauge>(name, () => {
        const metric = new prom.Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
        return {
          labels(values = {}) {
            metric.inc(values, 0);
            const series = metric.labels(values);
            return { set: (value) => series.set(value), add: (by) => series.inc(by) };
          },
          remove: (values) => metric.remove(values),
        };
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
        return {
          labels(values = {}) {
            metric.zero(values);
            return metric.labels(values);
          },
          remove: (values) => metric.remove(values),
        };
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
