export type LabelValues = Readonly<Record<string, string>>;

export interface Counter {
  inc(by?: number): void;
}

export interface Gauge {
  set(value: number): void;
  add(by: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** A metric by name. `labels` picks one series, which exists from then on, at zero. */
export interface Family<M> {
  labels(values?: LabelValues): M;
  /** Takes one series away: what it counted is gone for good. */
  remove(values: LabelValues): void;
}

/** Where counts go. Asking twice for one name gives the same metric. */
export interface Metrics {
  counter(name: string, help: string, labelNames?: readonly string[]): Family<Counter>;
  gauge(name: string, help: string, labelNames?: readonly string[]): Family<Gauge>;
  histogram(name: string, help: string, labelNames?: readonly string[], buckets?: readonly number[]): Family<Histogram>;
  /** Called before each scrape, for values that are worked out rather than kept. */
  onCollect(callback: () => void): () => void;
}

/** What `/metrics` shows. */
export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
}

const nothing = { inc: () => {}, set: () => {}, add: () => {}, observe: () => {} };
const noFamily = { labels: () => nothing, remove: () => {} };

/** Counts nothing: the default everywhere, and all that an agent ever has. */
export const noMetrics: Metrics = {
  counter: () => noFamily,
  gauge: () => noFamily,
  histogram: () => noFamily,
  onCollect: () => () => {},
};

export interface RequestOutcome {
  method: string;
  host: string;
  /** HTTP status, or `<error>` where no answer came. */
  code: string;
}

/** The hook a client calls after each request. */
export function countRequests(metrics: Metrics): (outcome: RequestOutcome) => void {
  const requests = metrics.counter(
    "rest_client_requests_total",
    "HTTP requests sent to an API server, by status code, method and host.",
    ["code", "method", "host"],
  );
  const series = new Map<string, Counter>();
  return ({ method, host, code }) => {
    const key = `${code} ${method} ${host}`;
    let counter = series.get(key);
    if (!counter) {
      counter = requests.labels({ code, method, host });
      series.set(key, counter);
    }
    counter.inc();
  };
}
