/** A body that is being read. */
export interface PartialBody {
  bytes: number;
  readonly refuse: () => void;
}

/**
 * Bytes of all bodies that are being read. When they are too many, the body that has been incomplete for longest is refused:
 * clients send a body at once, and bodies that never end must not keep out the others.
 */
export class BodyBudget {
  readonly #maxBytes: number;
  /** Oldest first. */
  readonly #partial = new Set<PartialBody>();
  #bytes = 0;

  /** By default room for 42 bodies of the largest size. */
  constructor(maxBytes = 128 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(body: PartialBody, count: number): void {
    this.#partial.add(body);
    body.bytes += count;
    this.#bytes += count;
    for (const oldest of this.#partial) {
      if (this.#bytes <= this.#maxBytes) return;
      this.release(oldest);
      oldest.refuse();
    }
  }

  /** The body is complete or refused. */
  release(body: PartialBody): void {
    if (this.#partial.delete(body)) this.#bytes -= body.bytes;
  }
}
