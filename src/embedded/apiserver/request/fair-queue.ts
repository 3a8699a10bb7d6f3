import { pause, type Clock } from "../../../cluster/runtime/clock.ts";

/**
 * Queues writes of one object that another write overtook while they waited for webhooks. Were all of them to retry at
 * once, all but one would be overtaken again, and webhooks would be called as often as the square of their number.
 */
export class FairQueue {
  readonly #clock: Clock;
  readonly #last = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Joins the queue of the object that `key` names, at its end. */
  join(key: string): Turn {
    const before = this.#last.get(key);
    let release = (): void => undefined;
    const left = new Promise<void>((resolve) => (release = resolve));
    this.#last.set(key, left);
    return {
      wait: async (ms) => {
        if (!before) return;
        const given = new AbortController();
        void before.then(() => given.abort());
        await pause(this.#clock, ms, given.signal);
      },
      leave: () => {
        if (this.#last.get(key) === left) this.#last.delete(key);
        release();
      },
    };
  }
}

/** A place in the queue. */
export interface Turn {
  /**
   * Resolves when the write ahead has left the queue, and after `ms` at the latest: the write ahead may wait for a
   * webhook that itself waits for this write.
   */
  wait(ms: number): Promise<void>;
  leave(): void;
}
