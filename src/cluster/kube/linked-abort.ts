/**
 * Aborts with an outer signal, or on its own. `AbortSignal.any` would do, but on Node 20 it keeps an entry in the outer
 * signal for ever. A signal is among the costliest parts of a short request, so one is made only for who asks for it.
 */
export class LinkedAbort {
  readonly #outer: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #act: (() => void) | undefined;
  #aborted = false;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    if (outer?.aborted) this.abort();
    else outer?.addEventListener("abort", this.abort, { once: true });
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#aborted) this.#controller.abort(this.#reason());
    }
    return this.#controller.signal;
  }

  throwIfAborted(): void {
    if (this.#aborted) this.signal.throwIfAborted();
  }

  /** What to do when it aborts, in place of what was to be done before. */
  onAbort(act: () => void): void {
    this.#act = act;
  }

  readonly abort = (): void => {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#controller?.abort(this.#reason());
    this.#act?.();
  };

  /** Lets go of the outer signal, which may live as long as the process. */
  unlink(): void {
    this.#outer?.removeEventListener("abort", this.abort);
  }

  #reason(): unknown {
    return this.#outer?.aborted ? this.#outer.reason : undefined;
  }
}
