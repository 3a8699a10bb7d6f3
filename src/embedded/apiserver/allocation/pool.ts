/** Whole numbers of a range of which each has one holder at a time: ports of nodes, addresses by their place in a network. */
export class Pool {
  readonly first: number;
  readonly last: number;
  readonly #dynamic: number;
  readonly #random: () => number;
  /** A number may be held twice for a moment: by the object that was just written, and by the request that wrote it. */
  readonly #holds = new Map<number, number>();

  /** The lowest `kept` numbers are left to those who ask for one, for as long as there are others. */
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

  /** Any free number. By chance, so that one that was just given back is not given out at once to another. */
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
