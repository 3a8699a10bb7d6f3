import type { Clock } from "../clock.ts";

/** A clock that moves only by `advance`. */
export class VirtualClock implements Clock {
  #now: number;
  #setBackMs = 0;
  #timers: { due: number; order: number; callback: () => void }[] = [];
  #order = 0;

  constructor(start = Date.parse("2026-01-01T00:00:00Z")) {
    this.#now = start;
  }

  now(): number {
    return this.#now - this.#setBackMs;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { due: this.#now + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** The wall time of a machine may be set: timers and monotonic time go on. */
  setBack(ms: number): void {
    this.#setBackMs += ms;
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.length;
  }

  /** Moves the clock, fires timers in the order they are due, and lets promises settle after each. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = this.#timers
        .filter((timer) => timer.due <= end)
        .toSorted((a, b) => a.due - b.due || a.order - b.order)[0];
      if (!next) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.due);
      next.callback();
      await settle();
    }
    this.#now = end;
  }
}

/** Runs everything that is ready to run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
