/** Time as everything long-lived sees it: tests pass a virtual one. */
export interface Clock {
  /** Wall time in milliseconds, for time stamps only. */
  now(): number;
  /** Milliseconds on a clock that never jumps, for every duration and deadline. */
  monotonic(): number;
  /** Calls back once after `ms`; the returned function takes it back. Does not keep the process alive. */
  after(ms: number, callback: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** Resolves after `ms`, or at once with the signal's abort. Never rejects: callers look at the signal. */
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
