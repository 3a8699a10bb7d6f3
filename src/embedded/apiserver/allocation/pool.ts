/** A range of numbers with one holder each: node ports, or addresses by their offset in a network. */
export class Pool {
  readonly first: number;
  readonly last: number;
  readonly #dynamic: number;
  readonly #random: () => number;
  /** Counts, because a number is briefly held twice: by the written object and by the request that wrote it. */
  readonly #holds = new Map<number, number>();

  /** The lowest `kept` numbers are reserved for explicit requests, as long as others are free. */
  constructor(first: number, last: number, kept: number, random: () => number = Math.random) {
    this.first = first;
    this.last = last;
    this.#dynamic = first + kept;
    this.#random = random;
  }

  contains(number: number): boolean {
    return number >= this.first && number <= this.last;
  }

  isHeld(number: number): boolean {
    return this.#holds.has(number);
  }

  hold(number: number): void {
    this.#holds.set(number, (this.#holds.get(number) ?? 0) + 1);
  }

  release(number: number): void {
    const holds = this.#holds.get(number) ?? 0;
    if (holds <= 1) this.#holds.delete(number);
    else this.#holds.set(number, holds - 1);
  }

  /** A random free number, so that a released number is not reused at once. */
  free(): number | undefined {
    return this.#freeIn(this.#dynamic, this.last) ?? this.#freeIn(this.first, this.#dynamic - 1);
  }

  #freeIn(first: number, last: number): number | undefined {
    const size = last - first + 1;
    const start = Math.floor(this.#random() * size);
    for (let i = 0; i < size; i++) {
      const number = first + ((start + i) % size);
      if (!this.#holds.has(number)) return number;
    }
    return undefined;
  }
}
