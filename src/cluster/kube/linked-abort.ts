import { setMaxListeners } from "node:events";

/**
 * Aborts with an outer signal, or on its own. `AbortSignal.any` does the same, but Node 20 leaves an entry in the outer
 * signal for ever, and never aborts if the garbage collector takes a source first, as it does with `AbortSignal.timeout`.
 * Creating a signal is expensive for a short request, so `signal` creates it on first use.
 */
export class LinkedAbort {
  readonly #outer: AbortSignal | undefined;
  #controller: AbortController | undefined;
  #act: (() => void) | undefined;
  #aborted = false;

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer;
    // Every informer of a process may listen: Node.js takes more than ten listeners for a leak.
    if (outer) setMaxListeners(0, outer);
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

  /** Sets what to call on abort; replaces what was set before. */
  onAbort(act: () => void): void {
    this.#act = act;
  }

  readonly abort = (): void => {
    if (this.#aborted) return;
    this.#aborted = true;
    this.unlink();
    this.#controller?.abort(this.#reason());
    this.#act?.();
  };

  /** Removes the listener from the outer signal, which may live as long as the process. */
  unlink(): void {
    this.#outer?.removeEventListener("abort", this.abort);
  }

  #reason(): unknown {
    return this.#outer?.aborted ? this.#outer.reason : undefined;
  }
}
