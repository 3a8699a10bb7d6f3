export interface BackOffOptions {
  /** Wait after the first failure; doubles with each further one. Default 5 ms. */
  baseMs?: number;
  /** The longest wait. Default 1,000 s. */
  maxMs?: number;
}

/** Counts failures per key and turns the count into a wait. */
export class BackOff<K> {
  readonly #failures = new Map<K, number>();
  readonly #baseMs: number;
  readonly #maxMs: number;

  constructor({ baseMs = 5, maxMs = 1_000_000 }: BackOffOptions = {}) {
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
