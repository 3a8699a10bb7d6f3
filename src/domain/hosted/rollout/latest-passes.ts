import type { PoolPass } from "../../rollout/pool-authority.ts";
import type { PoolOrder } from "../handover/pool-order.ts";

export interface OrderedPass {
  /** The one that the pass was made for. */
  readonly order: PoolOrder;
  readonly pass: PoolPass;
}

/** The last pass over each pool. */
export class LatestPasses {
  readonly #passes = new Map<string, OrderedPass>();
  readonly #listeners = new Set<(pool: string) => void>();

  get(pool: string): OrderedPass | undefined {
    return this.#passes.get(pool);
  }

  set(order: PoolOrder, pass: PoolPass): void {
    const { name } = order.nodePool;
    this.#passes.set(name, { order, pass });
    for (const listener of this.#listeners) listener(name);
  }

  delete(pool: string): void {
    this.#passes.delete(pool);
  }

  subscribe(listener: (pool: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
