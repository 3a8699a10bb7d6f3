import type { Clock } from "../../../cluster/runtime/clock.ts";
import { FailureBackoff } from "../../../cluster/runtime/queue/rate-limit.ts";

const waits = { baseMs: 30_000, maxMs: 900_000 };

/**
 * When what failed may be tried again. The wait doubles with each failure, and is up to a quarter shorter or longer, so that the
 * nodes of a pool do not all ask at once.
 */
export class Attempts {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #backoff = new FailureBackoff<string>(waits);
  readonly #notBefore = new Map<string, number>();

  constructor(clock: Clock, random: () => number = Math.random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Returns the wait until the next attempt. */
  failed(what: string): number {
    const waitMs = this.#backoff.next(what) * (0.75 + this.#random() / 2);
    this.#notBefore.set(what, this.#clock.monotonic() + waitMs);
    return waitMs;
  }

  /** 0: it may be tried now. */
  waitMs(what: string): number {
    return Math.max(0, (this.#notBefore.get(what) ?? 0) - this.#clock.monotonic());
  }

  hasFailed(what: string): boolean {
    return this.#notBefore.has(what);
  }

  ended(what: string): void {
    this.#backoff.forget(what);
    this.#notBefore.delete(what);
  }
}

/** A boot that was asked for, and has not come. */
export interface AskedBoot {
  readonly times: number;
  /** Of the last time, in milliseconds since 1970: the next agent reads it too. */
  readonly at: number;
  /** systemd has the request, or refused it. Absent: the agent may have been killed before. */
  readonly isAnswered?: boolean | undefined;
}

export function askAgain(asked: AskedBoot | undefined, now: number): AskedBoot {
  return { times: (asked?.times ?? 0) + 1, at: now };
}

/** A node that goes down starts no agent for longer than this: one that is still up was never asked. */
const unansweredMs = 20_000;

/** A node stops its services before it goes down, and asking it twice must not cut that short. 0: it may be asked now. */
export function bootAgainMs(asked: AskedBoot | undefined, now: number): number {
  if (!asked || asked.at > now) return 0;
  const waitMs = asked.isAnswered ? Math.min(300_000 * 2 ** (asked.times - 1), 3_600_000) : unansweredMs;
  return Math.max(0, asked.at + waitMs - now);
}
