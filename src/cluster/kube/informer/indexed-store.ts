/** The index values of an object. Must return the same values for the same object. */
export type IndexFunction<T> = (object: T) => readonly string[];

const none: readonly never[] = [];

/** Objects by key and by the values of named indexes. */
export class IndexedStore<T> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, { values: IndexFunction<T>; keys: Map<string, Set<string>> }>();
  /** Cached: controllers list far more often than objects change. */
  #list: readonly T[] | undefined;

  constructor(indexes: Readonly<Record<string, IndexFunction<T>>> = {}) {
    for (const [name, values] of Object.entries(indexes)) this.#indexes.set(name, { values, keys: new Map() });
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  list(): readonly T[] {
    this.#list ??= [...this.#objects.values()];
    return this.#list;
  }

  byIndex(name: string, value: string): readonly T[] {
    const index = this.#indexes.get(name);
    if (!index) throw new TypeError(`look up "${value}": there is no index "${name}"`);
    const keys = index.keys.get(value);
    return keys ? Array.from(keys, (key) => this.#objects.get(key) as T) : none;
  }

  set(key: string, object: T): void {
    const before = this.#objects.get(key);
    this.#objects.set(key, object);
    this.#list = undefined;
    for (const index of this.#indexes.values()) {
      if (before !== undefined) unlink(index.keys, index.values(before), key);
      for (const value of index.values(object)) {
        const keys = index.keys.get(value);
        if (keys) keys.add(key);
        else index.keys.set(value, new Set([key]));
      }
    }
  }

  delete(key: string): void {
    const before = this.#objects.get(key);
    if (before === undefined) return;
    this.#objects.delete(key);
    this.#list = undefined;
    for (const index of this.#indexes.values()) unlink(index.keys, index.values(before), key);
  }

  /** The number of values in all indexes, so that a test sees any leftover. */
  get indexedValues(): number {
    let count = 0;
    for (const index of this.#indexes.values()) count += index.keys.size;
    return count;
  }
}

function unlink(index: Map<string, Set<string>>, values: readonly string[], key: string): void {
  for (const value of values) {
    const keys = index.get(value);
    if (keys?.delete(key) && keys.size === 0) index.delete(value);
  }
}
