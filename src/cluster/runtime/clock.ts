/** The time source of every long-lived part. Tests pass a virtual clock. */
export interface Clock {
  /** Wall time in milliseconds, for time stamps only. */
  now(): number;
  /** Milliseconds on a clock that never jumps, for every duration and deadline. */
  monotonic(): number;
  /** Calls back once after `ms`; the returned function cancels that. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    let timer: NodeJS.Timeout;
    // Node's timers hold 31 bits of milliseconds; a longer delay would fire at once.
    const wait = (left: number): void => {
      timer =
        left > longestTimer ? setTimeout(() => wait(left - longestTimer), longestTimer) : setTimeout(callback, left);
      timer.unref();
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or as soon as the signal aborts. Never rejects: callers check the signal. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const cancel = clock.after(ms, done);
    function done(): void {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    }
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Resolves when the signal aborts. */
export async function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
