import { type Clock, systemClock } from "../clock.ts";

/** Real time that passes faster, for tests with real servers: it shortens waits, and a test need not know them. */
export function impatientClock(times = 20): Clock {
  return {
    ...systemClock,
    monotonic: () => times * systemClock.monotonic(),
    after: (ms, callback) => systemClock.after(ms / times, callback),
  };
}
