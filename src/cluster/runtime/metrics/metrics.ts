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

/** A metric by name. `labels` returns one series, which exists from then on, starting at zero. */
export interface Family<M> {
  labels(values?: LabelValues): M;
  /** Removes one series and its value. */
  remove(values: LabelValues): void;
}

/** Creates metrics. A second call with the same name returns the same metric. */
export interface Metrics {
  counter(name: string, help: string, labelNames?: readonly string[]): Family<Counter>;
  gauge(name: string, help: string, labelNames?: readonly string[]): Family<Gauge>;
  histogram(name: string, help: string, labelNames?: readonly string[], buckets?: readonly number[]): Family<Histogram>;
  /** Calls back before each scrape, for values that are computed on demand. */
  onCollect(callback: () => void): () => void;
}

/** The content of `/metrics`. */
export interface Exposition {
  readonly contentType: string;
  text(): Promise<string>;
}

const nothing = { inc: () => {}, set: () => {}, add: () => {}, observe: () => {} };
const noFamily = { labels: () => nothing, remove: () => {} };

/** Counts nothing: the default, and what agents use. */
export const noMetrics: Metrics = {
  counter: () => noFamily,
  gauge: () => noFamily,
  histogram: () => noFamily,
  onCollect: () => () => {},
};

export interface RequestOutcome {
  method: string;
  host: string;
  /** HTTP status, or `<error>` if no response came. */
  code: string;
}

/** Counts the requests of a client: pass the result as `onRequest`. */
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
