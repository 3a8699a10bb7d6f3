/**
 * First in, first out, each key once, with a value beside it; any key can be taken out of the middle. All in O(1).
 * A kept iterator is the front: `keys().next()` on a fresh one would walk over every hole that deletions left.
 */
export class OrderedSet<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #front = this.#entries.entries();

  get size(): number {
    return this.#entries.size;
  }

  has(key: K): boolean {
    return this.#entries.has(key);
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  push(key: K, value: V): void {
    this.#entries.set(key, value);
  }

  delete(key: K): boolean {
    return this.#entries.delete(key);
  }

  shift(): { key: K; value: V } | undefined {
    // The iterator sees what is added later only as long as it never came to an end.
    if (this.#entries.size === 0) return undefined;
    const [key, value] = this.#front.next().value!;
    this.#entries.delete(key);
    return { key, value };
  }

  clear(): void {
    while (this.shift()) continue;
  }
}
