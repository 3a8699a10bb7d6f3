import type { Clock } from "../../runtime/clock.ts";

/** Calls back once when it was not fed for a while. Feeding it costs one clock reading and sets no timer. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onSilence: () => void;
  #limitMs: number;
  #last: number;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, limitMs: number, onSilence: () => void) {
    this.#clock = clock;
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
    this.#last = clock.monotonic();
    this.#arm(limitMs);
  }

  feed(): void {
    this.#last = this.#clock.monotonic();
  }

  /** Feeds, and sets a new limit. */
  relax(limitMs: number): void {
    this.feed();
    this.#limitMs = limitMs;
    if (this.#cancel) this.#arm(limitMs);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #arm(ms: number): void {
    this.#cancel?.();
    this.#cancel = this.#clock.after(ms, () => {
      const left = this.#last + this.#limitMs - this.#clock.monotonic();
      if (left > 0) return this.#arm(left);
      this.#cancel = undefined;
      this.#onSilence();
    });
  }
}
