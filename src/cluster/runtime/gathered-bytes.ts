const smallestBlock = 1024;
const largestBlock = 64 * 1024;

/**
 * Bytes that arrive in pieces. They are copied together: a piece is an object of some 200 bytes even if it holds one byte,
 * and it keeps all that was read from the connection with it.
 */
export class GatheredBytes {
  #blocks: Buffer[] = [];
  #length = 0;
  /** Of the last block. */
  #free = 0;

  add(piece: Buffer): void {
    for (let at = 0; at < piece.length;) {
      const last = this.#blocks.at(-1);
      if (!last || this.#free === 0) {
        this.#extend(piece.length - at);
        continue;
      }
      const copied = piece.copy(last, last.length - this.#free, at);
      at += copied;
      this.#free -= copied;
      this.#length += copied;
    }
  }

  /** All of them, in one piece. They stay until they are cleared. */
  joined(): Buffer {
    return Buffer.concat(this.#blocks, this.#length);
  }

  clear(): void {
    this.#blocks = [];
    this.#length = 0;
    this.#free = 0;
  }

  /** By as much as there is already, so that few bytes take little memory and many bytes few blocks. */
  #extend(wanted: number): void {
    this.#free = Math.max(wanted, Math.min(Math.max(this.#length, smallestBlock), largestBlock));
    this.#blocks.push(Buffer.allocUnsafeSlow(this.#free));
  }
}
