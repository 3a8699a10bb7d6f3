import type { Clock } from "../../../cluster/runtime/clock.ts";
import { TokenBucket } from "../../../cluster/runtime/queue/rate-limit.ts";
import type { Host } from "../../host/host.ts";
import { FileWatch } from "../events/file-watch.ts";

/** Programs write several files at once. */
const burstMs = 100;
/** A comparison asks systemctl about every unit: a file that is written all the time must not keep the agent busy. */
const mostWakes = { perSecond: 0.1, burst: 5 };

/** Notices writes to what a config has put on the node. */
export class ConfigWatch {
  readonly #files: FileWatch;
  readonly #clock: Clock;
  readonly #wakes: TokenBucket;
  #wake = (): void => {};
  #cancelWake: (() => void) | undefined;
  #hasChanged = false;

  constructor(host: Host, clock: Clock) {
    this.#clock = clock;
    this.#wakes = new TokenBucket(mostWakes, clock);
    this.#files = new FileWatch(host, () => this.#note());
  }

  /** Calls `wake` once for a burst of writes, until the signal aborts. */
  start(wake: () => void, signal: AbortSignal): void {
    this.#wake = wake;
    const close = (): void => {
      this.#cancelWake?.();
      this.#files.close();
    };
    if (signal.aborted) close();
    else signal.addEventListener("abort", close, { once: true });
  }

  /** From now on. Folders may have been removed and created since the last call. */
  async set(paths: readonly string[]): Promise<void> {
    await this.#files.set(paths, { renew: true });
  }

  /** Whether there were writes since the last call. */
  take(): boolean {
    const hasChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hasChanged;
  }

  #note(): void {
    this.#cancelWake ??= this.#clock.after(Math.max(burstMs, this.#wakes.reserve()), () => {
      this.#cancelWake = undefined;
      this.#hasChanged = true;
      this.#wake();
    });
  }
}
