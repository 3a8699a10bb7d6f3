import type { Clock } from "../clock.ts";
import { type Metrics, noMetrics } from "../metrics/metrics.ts";
import { DelayHeap } from "./delay-heap.ts";
import { OrderedSet } from "./ordered-set.ts";
import { FailureBackoff, type FailureBackoffOptions, TokenBucket, type TokenBucketOptions } from "./rate-limit.ts";
import { type WorkQueueMetrics, workQueueMetrics } from "./work-queue-metrics.ts";

export type Priority = "normal" | "low";

export interface WorkQueueOptions {
  name: string;
  /** Label of the metrics. Default: the name. */
  controller?: string | undefined;
  clock: Clock;
  /** For one key that fails repeatedly. Default 5 ms, doubling to 1,000 s. */
  backoff?: FailureBackoffOptions | undefined;
  /** For all rate-limited keys together. Default 10 per second, 100 at once; `false` for no limit. */
  overall?: TokenBucketOptions | false | undefined;
  metrics?: Metrics | undefined;
}

/**
 * Keys to process. A key waits at most once and is processed by one worker at a time; a key that is added while it is
 * processed is handed out again after `done`.
 */
export class WorkQueue<K = string> {
  readonly #clock: Clock;
  readonly #metrics: WorkQueueMetrics;
  readonly #stopCollecting: () => void;
  /** Waiting keys and when they were added. */
  readonly #waiting = { normal: new OrderedSet<K, number>(), low: new OrderedSet<K, number>() };
  /** Keys being processed and when a worker took them. */
  readonly #running = new Map<K, number>();
  /** Keys that were added while being processed. */
  readonly #again = new Map<K, { priority: Priority; addedAt: number }>();
  readonly #takers = new Set<(key: K | undefined) => void>();
  readonly #delayed = new DelayHeap<K>();
  readonly #backoff: FailureBackoff<K>;
  readonly #overall: TokenBucket | undefined;
  #alarm: { due: number; cancel: () => void } | undefined;
  #closed = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: WorkQueueOptions) {
    const { name, controller = name, clock, backoff, overall = { perSecond: 10, burst: 100 } } = options;
    const metrics = options.metrics ?? noMetrics;
    this.#clock = clock;
    this.#backoff = new FailureBackoff(backoff);
    this.#overall = overall ? new TokenBucket(overall, clock) : undefined;
    this.#metrics = workQueueMetrics(metrics, name, controller);
    this.#stopCollecting = metrics.onCollect(() => this.#collect());
  }

  /** The number of keys that wait for a worker, without delayed ones and ones being processed. */
  get depth(): number {
    return this.#waiting.normal.size + this.#waiting.low.size;
  }

  /** The number of keys being processed. */
  get running(): number {
    return this.#running.size;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Normal keys go before low ones; a key that waits as low and is added as normal moves up. */
  add(key: K, priority: Priority = "normal"): void {
    if (this.#closed) return;
    if (this.#running.has(key)) return this.#addAgain(key, priority);
    if (this.#waiting.normal.has(key)) return;
    const lowSince = this.#waiting.low.get(key);
    if (lowSince !== undefined) {
      if (priority === "low") return;
      this.#waiting.low.delete(key);
      this.#waiting.normal.push(key, lowSince);
      return;
    }
    this.#metrics.adds.inc();
    this.#offer(key, priority, this.#clock.monotonic());
  }

  /** Adds the key in `ms`. Of several delays for one key the earliest counts. */
  addAfter(key: K, ms: number): void {
    if (this.#closed) return;
    this.#metrics.retries.inc();
    if (ms <= 0) return this.add(key);
    this.#delayed.add(key, this.#clock.monotonic() + ms);
    this.#setAlarm();
  }

  /** Cancels `addAfter` and `addRateLimited` for a key that is not due yet. */
  cancelDelayed(key: K): boolean {
    const there = this.#delayed.delete(key);
    this.#setAlarm();
    return there;
  }

  /** Adds the key after its backoff, and no sooner than the overall limit allows. */
  addRateLimited(key: K): void {
    if (this.#closed) return;
    this.addAfter(key, Math.max(this.#backoff.next(key), this.#overall?.reserve() ?? 0));
  }

  /** The next failure of the key counts as its first. */
  forget(key: K): void {
    this.#backoff.forget(key);
  }

  failures(key: K): number {
    return this.#backoff.failures(key);
  }

  /** The next key; no other worker gets it until `done`. `undefined` once the queue is closed and empty, or on abort. */
  take(signal?: AbortSignal): Promise<K | undefined> {
    if (signal?.aborted) return Promise.resolve(undefined);
    const next = this.#waiting.normal.shift() ?? this.#waiting.low.shift();
    if (next) return Promise.resolve(this.#start(next.key, next.value));
    if (this.#closed && this.#again.size === 0) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const taker = (key: K | undefined): void => {
        this.#takers.delete(taker);
        signal?.removeEventListener("abort", abort);
        resolve(key);
      };
      const abort = (): void => taker(undefined);
      signal?.addEventListener("abort", abort, { once: true });
      this.#takers.add(taker);
    });
  }

  done(key: K): void {
    const startedAt = this.#running.get(key);
    if (startedAt === undefined) return;
    this.#running.delete(key);
    this.#metrics.workSeconds.observe((this.#clock.monotonic() - startedAt) / 1000);
    const again = this.#again.get(key);
    if (again) {
      this.#again.delete(key);
      this.#offer(key, again.priority, again.addedAt);
    }
    this.#settle();
  }

  /**
   * Accepts no more keys and drops the delayed ones. With `drain` the waiting keys are still handed out, otherwise they
   * are dropped too. Resolves when no key is being processed.
   */
  shutDown({ drain = false }: { drain?: boolean } = {}): Promise<void> {
    this.#closed = true;
    this.#delayed.clear();
    this.#setAlarm();
    this.#stopCollecting();
    if (!drain) {
      this.#waiting.normal.clear();
      this.#waiting.low.clear();
      this.#again.clear();
      this.#metrics.depth.set(0);
    }
    return new Promise((resolve) => {
      this.#whenIdle.push(resolve);
      this.#settle();
    });
  }

  #addAgain(key: K, priority: Priority): void {
    const before = this.#again.get(key);
    if (!before) this.#metrics.adds.inc();
    if (!before || (before.priority === "low" && priority === "normal"))
      this.#again.set(key, { priority, addedAt: before?.addedAt ?? this.#clock.monotonic() });
  }

  /** Hands the key to a waiting worker, otherwise queues it. */
  #offer(key: K, priority: Priority, addedAt: number): void {
    for (const taker of this.#takers) return taker(this.#start(key, addedAt));
    this.#waiting[priority].push(key, addedAt);
    this.#metrics.depth.set(this.depth);
  }

  #start(key: K, addedAt: number): K {
    const now = this.#clock.monotonic();
    this.#running.set(key, now);
    this.#metrics.queueSeconds.observe((now - addedAt) / 1000);
    this.#metrics.depth.set(this.depth);
    return key;
  }

  /** After shutDown, resolves takers and shutDown once nothing is left. */
  #settle(): void {
    if (!this.#closed || this.depth > 0 || this.#again.size > 0) return;
    for (const taker of this.#takers) taker(undefined);
    if (this.#running.size > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** One timer for all delayed keys, set for the earliest. */
  #setAlarm(): void {
    const due = this.#delayed.nextDue();
    if (this.#alarm?.due === due) return;
    this.#alarm?.cancel();
    this.#alarm =
      due === undefined
        ? undefined
        : { due, cancel: this.#clock.after(timerMs(due - this.#clock.monotonic()), () => this.#addDue()) };
  }

  #addDue(): void {
    this.#alarm = undefined;
    const now = this.#clock.monotonic();
    for (let next = this.#delayed.takeDue(now); next; next = this.#delayed.takeDue(now)) this.add(next.key);
    this.#setAlarm();
  }

  #collect(): void {
    const now = this.#clock.monotonic();
    let sum = 0;
    let longest = 0;
    for (const startedAt of this.#running.values()) {
      sum += now - startedAt;
      longest = Math.max(longest, now - startedAt);
    }
    this.#metrics.unfinishedSeconds.set(sum / 1000);
    this.#metrics.longestSeconds.set(longest / 1000);
  }
}

/** A longer timer would overflow and fire at once; one that fires early finds no due key and is set again. */
function timerMs(ms: number): number {
  return Math.min(Math.max(0, ms), 2 ** 31 - 1);
}
