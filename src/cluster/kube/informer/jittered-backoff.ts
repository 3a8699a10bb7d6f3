export interface JitteredBackoffOptions {
  baseMs?: number | undefined;
  maxMs?: number | undefined;
  random?: (() => number) | undefined;
}

/**
 * Growing waits with full jitter: a random time between zero and the current bound, so that a thousand clients that lose
 * their connection at the same moment do not reconnect at the same moment.
 */
export class JitteredBackoff {
  readonly maxMs: number;
  readonly #baseMs: number;
  readonly #random: () => number;
  #attempt = 0;
  /** The longest the last wait could have been. */
  #bound = 0;

  constructor({ baseMs = 800, maxMs = 30_000, random = Math.random }: JitteredBackoffOptions = {}) {
    this.#baseMs = baseMs;
    this.maxMs = maxMs;
    this.#random = random;
  }

  next(): number {
    this.#bound = Math.min(this.maxMs, this.#baseMs * 2 ** this.#attempt);
    if (this.#bound < this.maxMs) this.#attempt++;
    return this.#random() * this.#bound;
  }

  /**
   * The attempt after the last wait succeeded for `ms`. If that is at least the bound of the wait, the next failure
   * counts as a first one; a connection that keeps failing sooner waits ever longer.
   */
  succeededFor(ms: number): void {
    if (ms >= this.#bound) this.reset();
  }

  reset(): void {
    this.#attempt = 0;
    this.#bound = 0;
  }
}
