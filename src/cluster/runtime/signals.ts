const numbers = { SIGTERM: 15, SIGINT: 2 };
type Name = keyof typeof numbers;
const names = ["SIGTERM", "SIGINT"] as const;

export interface SignalSource {
  on(name: Name, listener: (name: Name) => void): unknown;
  off(name: Name, listener: (name: Name) => void): unknown;
  exit(code: number): unknown;
}

export interface StopSignal {
  readonly signal: AbortSignal;
  /** Stops listening: the next signal ends the process by default. */
  dispose(): void;
}

/** Aborts on the first SIGTERM or SIGINT. On the second the process exits at once with 128 + n, as shells report it. */
export function stopOnSignals(source: SignalSource = process): StopSignal {
  const stop = new AbortController();
  const listener = (name: Name): void => {
    if (stop.signal.aborted) source.exit(128 + numbers[name]);
    else stop.abort(new Error(`received ${name}`));
  };
  for (const name of names) source.on(name, listener);
  return {
    signal: stop.signal,
    dispose() {
      for (const name of names) source.off(name, listener);
    },
  };
}
