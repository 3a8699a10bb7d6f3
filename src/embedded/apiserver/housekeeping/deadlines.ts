import type { Clock } from "../../../cluster/runtime/clock.ts";
import { DelayHeap } from "../../../cluster/runtime/queue/delay-heap.ts";

/** So many fall due in one turn; the rest lets requests go first. */
const together = 200;

/** Keys whose time runs out. There is one timer, for the first of them: those that wait cost nothing. */
export class Deadlines {
  readonly #clock: Clock;
  readonly #onDue: (key: string) => void;
  readonly #heap = new DelayHeap<string>();
  #timer: { readonly due: number; readonly cancel: () => void } | undefined;

  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /** In milliseconds of wall time. Replaces an earlier one, or a later. */
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
    for (let count = 0; count < together; count++) {
      const due = this.#heap.takeDue(now);
      if (!due) break;
      this.#onDue(due.key);
    }
    this.#arm();
  }
}
