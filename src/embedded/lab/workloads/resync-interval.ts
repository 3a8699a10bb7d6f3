import type { Clock } from "../../../cluster/runtime/clock.ts";

/** Below this, a rest would cost more than it saves. */
const leastMs = 10;

/** Spaces looks that cost time for each object, so that objects that change all the time do not take all of it. */
export class SpacedLooks {
  readonly #clock: Clock;
  readonly #restMsPerObject: number;
  readonly #again = new Map<string, number>();

  constructor(clock: Clock, restMsPerObject: number) {
    this.#clock = clock;
    this.#restMsPerObject = restMsPerObject;
  }

  /** How long the next look has to wait; 0 for now. */
  restMs(key: string): number {
    return Math.max(0, (this.#again.get(key) ?? 0) - this.#clock.monotonic());
  }

  /** A look begins, at so many objects. */
  begin(key: string, objects: number): void {
    const ms = objects * this.#restMsPerObject;
    if (ms >= leastMs) this.#again.set(key, this.#clock.monotonic() + ms);
    else this.#again.delete(key);
  }

  forget(key: string): void {
    this.#again.delete(key);
  }
}
