/**
 * First in, first out, each key once, with a value; any key can be deleted. Every operation is O(1): a single iterator
 * is kept as the front, because a new one would walk over every hole that deletions left.
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
    // Once at its end, an iterator would not see keys that are added later.
    if (this.#entries.size === 0) return undefined;
    const [key, value] = this.#front.next().value!;
    this.#entries.delete(key);
    return { key, value };
  }

  clear(): void {
    while (this.shift()) continue;
  }
}
