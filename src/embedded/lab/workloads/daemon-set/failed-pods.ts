import type { Clock } from "../../../../cluster/runtime/clock.ts";

const firstMs = 1_000;
const longestMs = 15 * 60_000;

/** The backoff for pods that fail on a node: 1 s, doubling with each replacement to 15 minutes. */
export class FailedPods {
  readonly #clock: Clock;
  readonly #backoffs = new Map<string, Map<string, { ms: number; until: number }>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until a failed pod of the set may be replaced on the node. */
  waitMs(set: string, node: string): number {
    const backoff = this.#backoffs.get(set)?.get(node);
    return backoff ? Math.max(0, backoff.until - this.#clock.monotonic()) : 0;
  }

  replaced(set: string, node: string): void {
    const now = this.#clock.monotonic();
    let nodes = this.#backoffs.get(set);
    if (!nodes) this.#backoffs.set(set, (nodes = new Map()));
    const before = nodes.get(node);
    // After a long run the backoff starts anew.
    const ms = before && now - before.until < 2 * longestMs ? Math.min(longestMs, before.ms * 2) : firstMs;
    nodes.set(node, { ms, until: now + ms });
  }

  forget(set: string): void {
    this.#backoffs.delete(set);
  }
}
