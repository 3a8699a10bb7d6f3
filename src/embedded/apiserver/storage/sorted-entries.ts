import type { Entry } from "./store.ts";

/** The live objects of one collection, in the byte order of their keys, as etcd lists them. */
export class SortedEntries {
  #keys: string[] = [];
  #entries = new Map<string, Entry>();
  /** Revision of the last change to this collection. */
  changedAt = 0;

  get size(): number {
    return this.#keys.length;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  set(entry: Entry): void {
    if (!this.#entries.has(entry.key)) {
      // Loading and bulk creation mostly append; a splice in the middle moves pointers, which is cheap at our sizes.
      const last = this.#keys.at(-1);
      if (last === undefined || last < entry.key) this.#keys.push(entry.key);
      else this.#keys.splice(this.#position(entry.key), 0, entry.key);
    }
    this.#entries.set(entry.key, entry);
    this.changedAt = entry.revision;
  }

  delete(key: string, revision: number): void {
    if (!this.#entries.delete(key)) return;
    this.#keys.splice(this.#position(key), 1);
    this.changedAt = revision;
  }

  /** Entries whose key starts with `prefix` and comes after `after`, in order. */
  *range(prefix: string, after = ""): Generator<Entry> {
    let index = this.#position(after > prefix ? after : prefix);
    if (after !== "" && this.#keys[index] === after) index++;
    for (; index < this.#keys.length; index++) {
      const key = this.#keys[index];
      if (key === undefined || !key.startsWith(prefix)) return;
      const entry = this.#entries.get(key);
      if (entry) yield entry;
    }
  }

  /** Where `key` is, or would be inserted. */
  #position(key: string): number {
    let low = 0;
    let high = this.#keys.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#keys[middle] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
