interface Use {
  readonly times: number;
  readonly waitMs: number;
  readonly until: number;
}

/**
 * Limits how often the same is done again: the wait after each time is twice as long as before, up to `maxMs`. A key that is
 * quiet for that long after its wait starts anew.
 */
export class RepeatLimit {
  readonly #maxMs: number;
  readonly #uses = new Map<string, Use>();
  readonly #waiting = new Set<string>();

  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** A key that is refused waits. */
  allows(key: string, now: number): boolean {
    const use = this.#uses.get(key);
    if (use && now < use.until) this.#waiting.add(key);
    return !use || now >= use.until;
  }

  /** Returns how often the key was used without a pause, and the wait until it is allowed again. */
  use(key: string, now: number): { readonly times: number; readonly waitMs: number } {
    const before = this.#uses.get(key);
    const times = before && now < before.until + this.#maxMs ? before.times + 1 : 1;
    const waitMs = Math.min(this.#maxMs, firstWaitMs * 2 ** Math.min(times - 1, 30));
    this.#uses.set(key, { times, waitMs, until: now + waitMs });
    this.#waiting.delete(key);
    return { times, waitMs };
  }

  /** Keys used more than `times` times, with their waits. */
  above(times: number, now: number): [key: string, use: { readonly times: number; readonly waitMs: number }][] {
    return [...this.#uses].filter(([, use]) => use.times > times && now < use.until + this.#maxMs);
  }

  /** When the first key that waits is allowed; Infinity while none waits. */
  nextInMs(now: number): number {
    let next = Infinity;
    for (const key of this.#waiting) next = Math.min(next, Math.max(0, (this.#uses.get(key)?.until ?? now) - now));
    return next;
  }

  /** Waiting keys that are allowed now wait no longer. Also forgets keys that were quiet for long. */
  release(now: number): void {
    for (const key of this.#waiting) if ((this.#uses.get(key)?.until ?? now) <= now) this.#waiting.delete(key);
    for (const [key, { until }] of this.#uses) if (now >= until + this.#maxMs) this.#uses.delete(key);
  }
}

const firstWaitMs = 1000;
