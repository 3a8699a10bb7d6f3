/** So many repairs of one object are made at once, and then one in each interval. */
const atOnce = 5;
const intervalMs = 60_000;

/** Limits how often an object is repaired: another client that keeps changing it must not make the operator write without end. */
export class Repairs {
  /** By object: when the next repair counts as unhurried. */
  readonly #paidUntil = new Map<string, number>();

  /** How long to wait before the object is repaired; 0: it may be repaired now, which is then remembered. */
  waitMs(object: string, now: number): number {
    const paid = Math.max(this.#paidUntil.get(object) ?? 0, now);
    const wait = paid - now - (atOnce - 1) * intervalMs;
    if (wait > 0) return wait;
    this.#paidUntil.set(object, paid + intervalMs);
    this.#forget(now);
    return 0;
  }

  #forget(now: number): void {
    for (const [object, paid] of this.#paidUntil) if (paid <= now) this.#paidUntil.delete(object);
  }
}
