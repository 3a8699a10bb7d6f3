interface Interval {
  readonly first: number;
  readonly last: number;
}

/** A set of completion indexes, written `0,2-5`. Kept as intervals: a Job may have 100,000 indexes. */
export class Indexes {
  readonly #intervals: readonly Interval[];

  private constructor(intervals: readonly Interval[]) {
    this.#intervals = intervals;
  }

  static readonly none = new Indexes([]);

  /** Ignores parts that cannot be read, and indexes from `completions` on. */
  static parse(text: string, completions: number): Indexes {
    const intervals: Interval[] = [];
    for (const part of text === "" ? [] : text.split(",")) {
      const [from = "", to = from] = part.split("-");
      const first = Number(from);
      const last = Math.min(Number(to), completions - 1);
      if (isCount(from) && isCount(to) && first < completions && last >= first) intervals.push({ first, last });
    }
    return Indexes.#joined(intervals);
  }

  static of(indexes: Iterable<number>): Indexes {
    return Indexes.#joined(Array.from(indexes, (index) => ({ first: index, last: index })));
  }

  static #joined(intervals: readonly Interval[]): Indexes {
    const joined: Interval[] = [];
    for (const next of intervals.toSorted((a, b) => a.first - b.first)) {
      const last = joined.at(-1);
      if (last && next.first <= last.last + 1)
        joined[joined.length - 1] = { first: last.first, last: Math.max(last.last, next.last) };
      else joined.push(next);
    }
    return new Indexes(joined);
  }

  union(other: Indexes): Indexes {
    if (other.#intervals.length === 0) return this;
    return Indexes.#joined([...this.#intervals, ...other.#intervals]);
  }

  get total(): number {
    return this.#intervals.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  }

  has(index: number): boolean {
    let low = 0;
    let high = this.#intervals.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#intervals[middle]!.last >= index) high = middle;
      else low = middle + 1;
    }
    const found = this.#intervals[low];
    return found !== undefined && found.first <= index;
  }

  /** The size of the intersection. */
  common(other: Indexes): number {
    let sum = 0;
    let mine = 0;
    let theirs = 0;
    while (mine < this.#intervals.length && theirs < other.#intervals.length) {
      const a = this.#intervals[mine]!;
      const b = other.#intervals[theirs]!;
      sum += Math.max(0, Math.min(a.last, b.last) - Math.max(a.first, b.first) + 1);
      if (a.last < b.last) mine++;
      else theirs++;
    }
    return sum;
  }

  /** The first `count` indexes below `completions` that are not in the set. */
  missing(count: number, completions: number): number[] {
    const found: number[] = [];
    let candidate = 0;
    const upTo = (end: number): void => {
      for (; candidate < end && found.length < count; candidate++) found.push(candidate);
    };
    for (const { first, last } of this.#intervals) {
      upTo(Math.min(first, completions));
      candidate = Math.max(candidate, last + 1);
      if (found.length === count) return found;
    }
    upTo(completions);
    return found;
  }

  toString(): string {
    return this.#intervals
      .map(({ first, last }) => (first === last ? first : `${first}${last === first + 1 ? "," : "-"}${last}`))
      .join(",");
  }
}

function isCount(text: string): boolean {
  return /^\d{1,10}$/.test(text);
}
