import type { Clock } from "../../../../cluster/runtime/clock.ts";

const firstMs = 1_000;
const longestMs = 15 * 60_000;

/** How often pods failed on nodes, and until when the next one is not replaced. */
export class FailedPods {
  readonly #clock: Clock;
  readonly #rests = new Map<string, Map<string, { ms: number; until: number }>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds before a failed pod of this set may be replaced on the node. */
  restMs(set: string, node: string): number {
    const rest = this.#rests.get(set)?.get(node);
    return rest ? Math.max(0, rest.until - this.#clock.monotonic()) : 0;
  }

  replaced(set: string, node: string): void {
    const now = this.#clock.monotonic();
    let nodes = this.#rests.get(set);
    if (!nodes) this.#rests.set(set, (nodes = new Map()));
    const before = nodes.get(node);
    // What ran well for long is forgiven.
    const ms = before && now - before.until < 2 * longestMs ? Math.min(longestMs, before.ms * 2) : firstMs;
    nodes.set(node, { ms, until: now + ms });
  }

  forget(set: string): void {
    this.#rests.delete(set);
  }
}
