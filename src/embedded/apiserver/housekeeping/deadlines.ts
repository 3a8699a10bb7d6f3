import type { Clock } from "../../../cluster/runtime/clock.ts";
import { DelayHeap } from "../../../cluster/runtime/queue/delay-heap.ts";

/** At most this many expire in one turn of the event loop, so that requests are not held up. */
const maxPerTurn = 200;

/** Calls `onDue` for keys at their deadline. One timer, for the earliest deadline, serves all of them. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #onDue: (key: string) => void;
  readonly #heap = new DelayHeap<string>();
  #timer: { readonly due: number; readonly cancel: () => void } | undefined;

  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** `due` is in milliseconds of wall time, and replaces the key's deadline. */
  set(key: string, due: number): void {
    this.#heap.delete(key);
    this.#heap.add(key, due);
    this.#arm();
  }

  delete(key: string): void {
    if (this.#heap.delete(key)) this.#arm();
  }

  stop(): void {
    this.#heap.clear();
    this.#arm();
  }

  #arm(): void {
    const due = this.#heap.nextDue();
    if (this.#timer?.due === due) return;
    this.#timer?.cancel();
    this.#timer =
      due === undefined
        ? undefined
        : { due, cancel: this.#clock.after(Math.max(0, due - this.#clock.now()), () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = undefined;
    const now = this.#clock.now();
    for (let count = 0; count < maxPerTurn; count++) {
      const due = this.#heap.takeDue(now);
      if (!due) break;
      this.#onDue(due.key);
    }
    this.#arm();
  }
}
