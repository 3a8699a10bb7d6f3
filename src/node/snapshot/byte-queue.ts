/** Bytes that arrive in pieces of any size, taken in pieces of wanted size. */
export class ByteQueue {
  readonly #source: AsyncIterator<Uint8Array>;
  #piece: Uint8Array = new Uint8Array();
  #taken = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** How many were taken or skipped. */
  get taken(): number {
    return this.#taken;
  }

  /** So many, or fewer at the end. */
  async take(count: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    let length = 0;
    while (length < count) {
      const part = await this.#next(count - length);
      if (!part) break;
      parts.push(part);
      length += part.length;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }

  /** Whether there were so many. */
  async skip(count: number): Promise<boolean> {
    for (let left = count; left > 0;) {
      const part = await this.#next(left);
      if (!part) return false;
      left -= part.length;
    }
    return true;
  }

  /** Lets go of the source. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  async #next(most: number): Promise<Uint8Array | undefined> {
    while (this.#piece.length === 0) {
      const { value, done } = await this.#source.next();
      if (done) return undefined;
      this.#piece = value;
    }
    const part = this.#piece.subarray(0, most);
    this.#piece = this.#piece.subarray(part.length);
    this.#taken += part.length;
    return part;
  }
}
