export interface JitteredBackoffOptions {
  baseMs?: number;
  maxMs?: number;
  random?: () => number;
}

/**
 * Growing waits with full jitter: anywhere between nothing and the current bound, so that a thousand clients cut off in
 * one moment do not come back in one moment.
 */
export class JitteredBackoff {
  readonly maxMs: number;
  readonly #baseMs: number;
  readonly #random: () => number;
  #attempt = 0;
  /** What the last wait could have been at most. */
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
   * What was waited for went well for so long. If that is as long as the wait could have been, the next failure is a
   * first one: the troubles of last week say nothing about today's, and one that keeps failing early waits ever longer.
   */
  held(ms: number): void {
    if (ms >= this.#bound) this.reset();
  }

  reset(): void {
    this.#attempt = 0;
    this.#bound = 0;
  }
}
