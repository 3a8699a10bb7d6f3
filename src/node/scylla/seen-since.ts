import type { Clock } from "../../cluster/runtime/clock.ts";

/** For how long something has been seen, whatever the wall clock says. */
export class SeenSince {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #since = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** In milliseconds, by key. `keys` are those that are seen now. */
  of(keys: readonly string[]): ReadonlyMap<string, number> {
    const now = this.#clock.monotonic();
    const seen = new Set(keys);
    for (const key of this.#since.keys()) if (!seen.has(key)) this.#since.delete(key);
    for (const key of seen) if (!this.#since.has(key)) this.#since.set(key, now);
    return new Map([...this.#since].map(([key, at]) => [key, now - at]));
  }
}
