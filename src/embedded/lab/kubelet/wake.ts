/** The earliest of the times at which something is due. */
export class Wake {
  #due = Infinity;

  at(due: number): void {
    this.#due = Math.min(this.#due, due);
  }

  after(now: number): number | undefined {
    return this.#due === Infinity ? undefined : Math.max(1, this.#due - now);
  }
}
