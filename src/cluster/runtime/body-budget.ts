/** The body of a request, as far as it has arrived. */
export interface HeldBody {
  /** Changed by the budget only. */
  bytes: number;
  /** The budget has dropped the body: its bytes are to be forgotten. */
  readonly refuse: () => void;
}

/**
 * Bytes of all bodies that a server holds. When they are too many, the body that has been incomplete for longest is refused:
 * clients send a body at once, and bodies that never end must not keep out the others.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #incomplete = new Set<HeldBody>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(body: HeldBody, count: number): void {
    this.#incomplete.add(body);
    body.bytes += count;
    this.#bytes += count;
    for (const oldest of this.#incomplete) {
      if (this.#bytes <= this.#maxBytes) return;
      this.release(oldest);
      oldest.refuse();
    }
  }

  /** The whole body is here. Its bytes count until they are released, but it is not refused any more. */
  complete(body: HeldBody): void {
    this.#incomplete.delete(body);
  }

  release(body: HeldBody): void {
    this.#incomplete.delete(body);
    this.#bytes -= body.bytes;
    body.bytes = 0;
  }
}
