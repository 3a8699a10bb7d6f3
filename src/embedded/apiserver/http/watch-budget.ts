import type { Entry } from "../storage/store.ts";

/** A watch whose client does not take everything at once. */
export interface SlowWatch {
  /** Of objects that the budget counts. */
  readonly heldBytes: number;
  readonly drop: (why: string) => void;
}

/** Of all watches together: eight that are about to be ended for their own queues. */
const defaultBytes = 256 * 1024 * 1024;

/**
 * Objects that wait for slow clients, each counted once: until it is sent, an object is the same in every queue. When they are
 * too many, the watch that waits for most is ended, as kube-apiserver ends watches that do not keep up: its client resumes.
 */
export class WatchBudget {
  readonly #maxBytes: number;
  readonly #queues = new Map<Entry, number>();
  readonly #watches = new Set<SlowWatch>();
  #bytes = 0;

  constructor(maxBytes = defaultBytes) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Counts an object in the queue of a watch. */
  hold(watch: SlowWatch, entry: Entry): void {
    this.#watches.add(watch);
    const queues = this.#queues.get(entry) ?? 0;
    this.#queues.set(entry, queues + 1);
    if (queues === 0) this.#bytes += entry.bytes.length;
  }

  release(entry: Entry): void {
    const queues = this.#queues.get(entry) ?? 0;
    if (queues > 1) return void this.#queues.set(entry, queues - 1);
    this.#queues.delete(entry);
    this.#bytes -= entry.bytes.length;
  }

  /** The watch has nothing in its queue. */
  forget(watch: SlowWatch): void {
    this.#watches.delete(watch);
  }

  /** To be called after `hold`. A dropped watch releases its objects. */
  enforce(): void {
    while (this.#bytes > this.#maxBytes) {
      const [first, ...others] = this.#watches;
      if (!first) return;
      const largest = others.reduce((most, watch) => (watch.heldBytes > most.heldBytes ? watch : most), first);
      this.forget(largest);
      largest.drop("the clients of all watches together do not keep up");
    }
  }
}
