export interface LinkedAbort {
  signal: AbortSignal;
  abort(): void;
  /** Lets go of the outer signal, which may live as long as the process. */
  unlink(): void;
}

/**
 * A signal that aborts with an outer one, or on its own. `AbortSignal.any` would do, but on Node 20 it keeps an entry
 * in the outer signal for ever.
 */
export function linkedAbort(outer: AbortSignal | undefined): LinkedAbort {
  const controller = new AbortController();
  const abort = (): void => controller.abort(outer?.aborted ? outer.reason : undefined);
  if (outer?.aborted) abort();
  else outer?.addEventListener("abort", abort, { once: true });
  return { signal: controller.signal, abort, unlink: () => outer?.removeEventListener("abort", abort) };
}
