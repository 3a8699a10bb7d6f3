import { setMaxListeners } from "node:events";
import { isConflict } from "../../kube/api-error.ts";
import type { CacheEvent, Informer } from "../../kube/cache.ts";
import type { KubeObject } from "../../../language/object/meta.ts";
import { type Clock, systemClock } from "../clock.ts";
import { type ControllerMetrics, controllerMetrics, type Outcome } from "./controller-metrics.ts";
import { type Log, noLog } from "../log/log.ts";
import { type Metrics, noMetrics } from "../metrics/metrics.ts";
import { WorkQueue, type WorkQueueOptions } from "../queue/work-queue.ts";

/** When to reconcile again. Nothing set: on the next event. */
export interface Result {
  /** Again after this time. */
  requeueAfterMs?: number | undefined;
  /** Again with backoff although it did not fail, for example after a conflict. Takes precedence over requeueAfterMs. */
  requeue?: boolean | undefined;
}

/** Turns events of an informer into keys. */
export interface Source<K> {
  /** Resolves when the first complete list has been delivered. */
  whenSynced(signal: AbortSignal): Promise<void>;
  /** Calls `add` with each key; returns a function that stops that. */
  subscribe(add: (key: K) => void, failed: (error: unknown) => void): () => void;
}

export interface ControllerOptions<K> {
  name: string;
  /** Gets only a key: it reads the state from caches. After a rejection it runs again with backoff. */
  reconcile(key: K, context: { signal: AbortSignal; log: Log }): Promise<Result | undefined>;
  sources: readonly Source<K>[];
  /** Keys reconciled at the same time. Default 1. */
  concurrency?: number | undefined;
  queue?: Pick<WorkQueueOptions, "backoff" | "overall"> | undefined;
  /** How long running reconciles may go on after a stop before their signal aborts. Default 30 s. */
  stopGraceMs?: number | undefined;
  clock?: Clock | undefined;
  log?: Log | undefined;
  metrics?: Metrics | undefined;
}

/** An informer as a source. `toKeys` sees both sides of an update through `event`. */
export function source<K, T extends KubeObject>(
  informer: Informer<T>,
  toKeys: (event: CacheEvent<T>) => Iterable<K>,
): Source<K> {
  return {
    whenSynced: (signal) => informer.whenSynced(signal),
    subscribe: (add, failed) =>
      informer.subscribe((event) => {
        try {
          for (const key of toKeys(event)) add(key);
        } catch (error) {
          // A throw would reach the informer, which other controllers share.
          failed(error);
        }
      }),
  };
}

/** Reconciles keys: at most `concurrency` at once, never one key twice at a time. */
export class Controller<K = string> {
  readonly name: string;
  readonly queue: WorkQueue<K>;
  readonly #options: ControllerOptions<K>;
  readonly #concurrency: number;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #metrics: ControllerMetrics;

  constructor(options: ControllerOptions<K>) {
    const { name, concurrency = 1, clock = systemClock, log = noLog, metrics = noMetrics } = options;
    this.name = name;
    this.#options = options;
    this.#concurrency = concurrency;
    this.#clock = clock;
    this.#log = log.child({ controller: name });
    this.#metrics = controllerMetrics(metrics, name, concurrency);
    this.queue = new WorkQueue({ name, clock, metrics, ...options.queue });
  }

  /** Starts workers when every source is synced; when the signal aborts, waits for running reconciles and resolves. */
  async run(signal: AbortSignal): Promise<void> {
    const { sources, stopGraceMs = 30_000 } = this.#options;
    const failed = (error: unknown): void => this.#log.error({ error }, "could not map an event to keys");
    const unsubscribe = sources.map((source) => source.subscribe((key) => this.queue.add(key), failed));
    const work = new AbortController();
    // Every request of every reconcile listens to it.
    setMaxListeners(0, work.signal);
    let cancelGrace = (): void => {};
    const stop = (): void => {
      void this.queue.shutDown();
      cancelGrace = this.#clock.after(stopGraceMs, () => work.abort(signal.reason));
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    try {
      if (!(await this.#synced(signal))) return;
      this.#log.debug({ workers: this.#concurrency }, "start workers");
      await Promise.all(Array.from({ length: this.#concurrency }, () => this.#work(work.signal)));
    } finally {
      for (const end of unsubscribe) end();
      signal.removeEventListener("abort", stop);
      cancelGrace();
    }
  }

  async #synced(signal: AbortSignal): Promise<boolean> {
    try {
      await Promise.all(this.#options.sources.map((source) => source.whenSynced(signal)));
      return !signal.aborted;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let key = await this.queue.take(); key !== undefined; key = await this.queue.take()) {
      this.#metrics.activeWorkers.add(1);
      const started = this.#clock.monotonic();
      const outcome = await this.#reconcile(key, signal);
      this.#metrics.reconciles[outcome].inc();
      this.#metrics.seconds.observe((this.#clock.monotonic() - started) / 1000);
      this.#metrics.activeWorkers.add(-1);
      this.queue.done(key);
    }
  }

  async #reconcile(key: K, signal: AbortSignal): Promise<Outcome> {
    const log = this.#log.child({ key });
    try {
      const { requeue, requeueAfterMs } = (await this.#options.reconcile(key, { signal, log })) ?? {};
      if (requeue) {
        this.queue.addRateLimited(key);
        return "requeue";
      }
      this.queue.forget(key);
      if (requeueAfterMs === undefined) return "success";
      this.queue.addAfter(key, requeueAfterMs);
      return "requeue_after";
    } catch (error) {
      if (isConflict(error)) {
        // Decided by an older state: the newer one is on its way.
        this.queue.addRateLimited(key);
        return "requeue";
      }
      this.#metrics.errors.inc();
      if (isMistake(error)) this.#metrics.panics.inc();
      this.queue.addRateLimited(key);
      log.error({ error, failures: this.queue.failures(key) }, "reconcile failed, will retry");
      return "error";
    }
  }
}

/** A bug in the program: what would be a panic in Go. */
function isMistake(error: unknown): boolean {
  return (
    !(error instanceof Error) ||
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError
  );
}
