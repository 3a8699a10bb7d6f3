import type { Repaired } from "../../engine/drift.ts";
import { RepeatLimit } from "./repeat-limit.ts";

interface Last {
  readonly repaired: Repaired;
  readonly at: number;
  /** What was found first since then. A process that writes all the time must not change the report each time. */
  readonly waiting?: Repaired | undefined;
}

/** Settings that were set back, and how soon each may be again: two processes must not fight over one without end. */
export class Repairs {
  readonly #keepMs: number;
  readonly #limit: RepeatLimit;
  readonly #last = new Map<string, Last>();

  /** `keepMs`: how long a repair is reported, and the longest wait before the next of the same setting. */
  constructor(keepMs: number) {
    this.#keepMs = keepMs;
    this.#limit = new RepeatLimit(keepMs);
  }

  allows(target: string, now: number): boolean {
    return this.#limit.allows(target, now);
  }

  /** Returns what was not known before. */
  add(repaired: readonly Repaired[], now: number): Repaired[] {
    return repaired.filter((one) => {
      const last = this.#last.get(one.target);
      if (one.waiting) {
        if (!last || last.waiting) return false;
        this.#last.set(one.target, { ...last, waiting: { ...last.repaired, ...one } });
        return true;
      }
      const { times, waitMs } = this.#limit.use(one.target, now);
      this.#last.set(one.target, { repaired: times > 1 ? { ...one, times, waitMs } : one, at: now });
      return true;
    });
  }

  /** The last repair of each setting, as long as it is reported; for one that waits, what was found. */
  list(now: number): Repaired[] {
    for (const [target, { at }] of this.#last) if (now - at >= this.#keepMs) this.#last.delete(target);
    return [...this.#last.values()].map(({ repaired, waiting }) => waiting ?? repaired);
  }

  nextInMs(now: number): number {
    return this.#limit.nextInMs(now);
  }

  /** Settings that waited are checked again. */
  release(now: number): void {
    for (const [target, last] of this.#last)
      if (last.waiting && this.#limit.allows(target, now)) this.#last.set(target, { ...last, waiting: undefined });
    this.#limit.release(now);
  }
}
