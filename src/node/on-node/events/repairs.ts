import type { Repaired } from "../../engine/drift.ts";
import { RepeatLimit } from "./repeat-limit.ts";

/** Settings that were set back, and how soon each may be again: two processes must not fight over one without end. */
export class Repairs {
  readonly #keepMs: number;
  readonly #limit: RepeatLimit;
  readonly #last = new Map<string, { readonly repaired: Repaired; readonly at: number }>();

  /** `keepMs`: how long a repair is reported, and the longest wait before the next of the same setting. */
  constructor(keepMs: number) {
    this.#keepMs = keepMs;
    this.#limit = new RepeatLimit(keepMs);
  }

  allows(target: string, now: number): boolean {
    return this.#limit.allows(target, now);
  }

  add(repaired: readonly Repaired[], now: number): void {
    for (const one of repaired) {
      const { times, waitMs } = this.#limit.use(one.target, now);
      this.#last.set(one.target, { repaired: times > 1 ? { ...one, times, waitMs } : one, at: now });
    }
  }

  /** The last repair of each setting, as long as it is reported. */
  list(now: number): Repaired[] {
    for (const [target, { at }] of this.#last) if (now - at >= this.#keepMs) this.#last.delete(target);
    return [...this.#last.values()].map(({ repaired }) => repaired);
  }

  nextInMs(now: number): number {
    return this.#limit.nextInMs(now);
  }

  /** Settings that waited are checked again. */
  release(now: number): void {
    this.#limit.release(now);
  }
}
