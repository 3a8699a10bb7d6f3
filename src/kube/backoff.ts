export interface BackoffOptions {
  baseMs?: number;
  maxMs?: number;
  random?: () => number;
}

/**
 * Growing waits with full jitter: anywhere between nothing and the current bound, so that a thousand clients cut off in
 * one moment do not come back in one moment.
 */
export class Backoff {
  readonly maxMs: number;
  readonly #baseMs: number;
  readonly #random: () => number;
  #attempt = 0;

  constructor({ baseMs = 800, maxMs = 30_000, random = Math.random }: BackoffOptions = {}) {
    this.#baseMs = baseMs;
    this.maxMs = maxMs;
    this.#random = random;
  }

  next(): number {
    const bound = Math.min(this.maxMs, this.#baseMs * 2 ** this.#attempt);
    if (bound < this.maxMs) this.#attempt++;
    return this.#random() * bound;
  }

  reset(): void {
    this.#attempt = 0;
  }
}
