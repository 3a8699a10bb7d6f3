import type { Clock } from "../clock.ts";

export interface TokenBucketOptions {
  /** Tokens that come back each second. */
  perSecond: number;
  /** Tokens there at first, and at most. */
  burst: number;
}

/** Lets `burst` through at once and `perSecond` from then on. */
export class TokenBucket {
  readonly #perMs: number;
  readonly #burst: number;
  readonly #clock: Clock;
  #tokens: number;
  #at: number;

  constructor({ perSecond, burst }: TokenBucketOptions, clock: Clock) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#clock = clock;
    this.#tokens = burst;
    this.#at = clock.monotonic();
  }

  /** Takes a token if there is one. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token, borrowing from the future if need be, and says how many milliseconds to wait for it. */
  reserve(): number {
    this.#refill();
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#perMs;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#burst, this.#tokens + (now - this.#at) * this.#perMs);
    this.#at = now;
  }
}

export interface FailureBackoffOptions {
  /** Wait after the first failure; doubles with each further one. Default 5 ms. */
  baseMs?: number;
  /** The longest wait. Default 1,000 s. */
  maxMs?: number;
}

/** Counts failures per key and turns the count into a wait. */
export class FailureBackoff<K> {
  readonly #failures = new Map<K, number>();
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor({ baseMs = 5, maxMs = 1_000_000 }: FailureBackoffOptions = {}) {
    this.#baseMs = baseMs;
    this.#maxMs = maxMs;
  }

  next(key: K): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    return Math.min(this.#maxMs, this.#baseMs * 2 ** failures);
  }

  failures(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: K): void {
    this.#failures.delete(key);
  }
}
