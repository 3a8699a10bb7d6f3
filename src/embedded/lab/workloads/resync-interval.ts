import type { Clock } from "../../../cluster/runtime/clock.ts";

/** Shorter intervals cost more than they save. */
const leastMs = 10;

/**
 * The shortest interval between two reconciles of a key. It grows with the number of objects that a reconcile reads, so
 * that objects that change all the time do not take all of the process's time.
 */
export class ResyncInterval {
  readonly #clock: Clock;
  readonly #msPerObject: number;
  readonly #next = new Map<string, number>();

  constructor(clock: Clock, msPerObject: number) {
    this.#clock = clock;
    this.#msPerObject = msPerObject;
  }

  /** Milliseconds until the key may be reconciled; 0 for now. */
  waitMs(key: string): number {
    return Math.max(0, (this.#next.get(key) ?? 0) - this.#clock.monotonic());
  }

  /** A reconcile of the key starts, and reads this many objects. */
  started(key: string, objects: number): void {
    const ms = objects * this.#msPerObject;
    if (ms >= leastMs) this.#next.set(key, this.#clock.monotonic() + ms);
    else this.#next.delete(key);
  }

  forget(key: string): void {
    this.#next.delete(key);
  }
}
