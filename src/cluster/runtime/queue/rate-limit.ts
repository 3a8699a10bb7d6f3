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
