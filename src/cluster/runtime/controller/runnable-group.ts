import { setMaxListeners } from "node:events";

/** A part of a process that runs until its signal aborts, for example a Controller. */
export interface Runnable {
  readonly name: string;
  run(signal: AbortSignal): Promise<void>;
}

/** Runnables that start and stop together. */
export class RunnableGroup {
  readonly #onFailure: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #running = new Map<Runnable, Promise<void>>();
  readonly #waiting: Runnable[] = [];
  #started = false;

  /** `onFailure` is called for each runnable that rejects, before the stop or after. */
  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure;
    // Every runnable listens: Node.js takes more than ten listeners for a leak.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Runs it now if the group has started, otherwise when the group starts. */
  add(runnable: Runnable): void {
    if (this.#started) this.#run(runnable);
    else this.#waiting.push(runnable);
  }

  start(): void {
    this.#started = true;
    for (const runnable of this.#waiting.splice(0)) this.#run(runnable);
  }

  /** Aborts all and resolves when they have ended. */
  async stop(reason?: unknown): Promise<void> {
    this.#stop.abort(reason);
    await Promise.all(this.#running.values());
  }

  /** Names of the runnables that have not ended. */
  get running(): string[] {
    return [...this.#running.keys()].map(({ name }) => name);
  }

  #run(runnable: Runnable): void {
    if (this.#stop.signal.aborted) return;
    const run = async (): Promise<void> => {
      try {
        await runnable.run(this.#stop.signal);
      } catch (cause) {
        const { message } = cause instanceof Error ? cause : { message: String(cause) };
        this.#onFailure(new Error(`run ${runnable.name}: ${message}`, { cause }));
      } finally {
        this.#running.delete(runnable);
      }
    };
    // One microtask later, so that it is in the map before `finally` deletes it.
    this.#running.set(runnable, Promise.resolve().then(run));
  }
}
