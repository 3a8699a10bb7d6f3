interface Entry<K> {
  key: K;
  due: number;
  order: number;
}

/** Keys ordered by due time. Each key is in it once: the earlier time wins. */
export class DelayHeap<K> {
  #heap: Entry<K>[] = [];
  readonly #current = new Map<K, Entry<K>>();
  #order = 0;

  get size(): number {
    return this.#current.size;
  }

  has(key: K): boolean {
    return this.#current.has(key);
  }

  add(key: K, due: number): void {
    const before = this.#current.get(key);
    if (before && before.due <= due) return;
    const entry = { key, due, order: this.#order++ };
    this.#current.set(key, entry);
    this.#heap.push(entry);
    this.#up(this.#heap.length - 1);
    this.#sweep();
  }

  delete(key: K): boolean {
    const there = this.#current.delete(key);
    this.#sweep();
    return there;
  }

  /** The earliest due time. */
  nextDue(): number | undefined {
    return this.#top()?.due;
  }

  /** Removes and returns the first key if it is due at `now`. */
  takeDue(now: number): { key: K } | undefined {
    const top = this.#top();
    if (!top || top.due > now) return undefined;
    this.#pop();
    this.#current.delete(top.key);
    return { key: top.key };
  }

  clear(): void {
    this.#heap = [];
    this.#current.clear();
  }

  #top(): Entry<K> | undefined {
    for (;;) {
      const top = this.#heap[0];
      if (!top || this.#current.get(top.key) === top) return top;
      this.#pop();
    }
  }

  /** Replaced and deleted entries stay in the heap until they reach the top, or until they are more than half of it. */
  #sweep(): void {
    if (this.#heap.length <= 64 || this.#heap.length <= 2 * this.#current.size) return;
    this.#heap = [...this.#current.values()].toSorted(compare);
  }

  #pop(): void {
    const last = this.#heap.pop();
    if (last && this.#heap.length > 0) {
      this.#heap[0] = last;
      this.#down();
    }
  }

  #up(index: number): void {
    const heap = this.#heap;
    const entry = heap[index]!;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (compare(heap[parent]!, entry) <= 0) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = entry;
  }

  #down(): void {
    const heap = this.#heap;
    const entry = heap[0]!;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && compare(heap[child + 1]!, heap[child]!) < 0) child++;
      if (compare(entry, heap[child]!) <= 0) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = entry;
  }
}

function compare(a: Entry<unknown>, b: Entry<unknown>): number {
  return a.due - b.due || a.order - b.order;
}
