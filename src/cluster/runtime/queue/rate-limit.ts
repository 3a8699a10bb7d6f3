import type { Clock } from "../clock.ts";

export interface TokenBucketOptions {
  /** Tokens added per second. */
  perSecond: number;
  /** Tokens at the start, and at most. */
  burst: number;
}

/** Allows `burst` at once and `perSecond` from then on. */
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

  /** Takes a token if one is left. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes a token, a future one if none is left, and returns how many milliseconds to wait for it. */
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
  /** The wait after the first failure; doubles with each further one. Default 5 ms. */
  baseMs?: number | undefined;
  /** The longest wait. Default 1,000 s. */
  maxMs?: number | undefined;
}

/** Counts the failures of each key: the wait doubles with each. client-go calls this ItemExponentialFailureRateLimiter. */
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
