import { pause, type Clock } from "../../../cluster/runtime/clock.ts";

/**
 * Writers of one object that were overtaken while they waited for others stand in line: were all of them to try again at
 * once, all but one would be overtaken again, and webhooks be asked as often as the square of their number.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #last = new Map<string, Promise<void>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Goes to the end of the line for what `key` names. */
  join(key: string): Turn {
    const before = this.#last.get(key);
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    this.#last.set(key, left);
    return {
      comes: async (ms) => {
        if (!before) return;
        const given = new AbortController();
        void before.then(() => given.abort());
        await pause(this.#clock, ms, given.signal);
      },
      end: () => {
        if (this.#last.get(key) === left) this.#last.delete(key);
        leave();
      },
    };
  }
}

export interface Turn {
  /**
   * Resolves when the one before has ended, and after `ms` in any case: that one may wait for a webhook which waits for
   * this very write.
   */
  comes(ms: number): Promise<void>;
  end(): void;
}
