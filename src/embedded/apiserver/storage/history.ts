import type { Change, Entry } from "./store.ts";

export interface HistoryLimits {
  /** The most changes that are kept. Default 16,384. */
  readonly changes: number;
  /** The most bytes of objects that they may hold. Default 64 MiB. */
  readonly bytes: number;
}

export const defaultLimits: HistoryLimits = { changes: 16_384, bytes: 64 * 1024 * 1024 };

/**
 * Recent changes, so that a watch can resume and a page can be served at an older revision.
 * Requests for older revisions get 410 Gone.
 */
export class History {
  #changes: Change[] = [];
  #start = 0;
  #bytes = 0;
  #floor: number;
  readonly #limits: HistoryLimits;

  /** `floor`: the revision before the first change that can be kept. */
  constructor(floor: number, limits: HistoryLimits) {
    this.#floor = floor;
    this.#limits = limits;
  }

  /** All changes after this revision are known. */
  get floor(): number {
    return this.#floor;
  }

  append(change: Change): void {
    this.#changes.push(change);
    this.#bytes += weight(change);
    while (this.#length > this.#limits.changes || (this.#bytes > this.#limits.bytes && this.#length > 1))
      this.#forget();
    // Slicing is linear: the dead part is cut off only when it is half of the array.
    if (this.#start > 1024 && this.#start * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#start);
      this.#start = 0;
    }
  }

  /** The changes of a collection after `revision`, oldest first; undefined if some are no longer kept. */
  since(collection: string, revision: number): Change[] | undefined {
    if (revision < this.#floor) return undefined;
    const found: Change[] = [];
    for (let i = this.#indexAfter(revision); i < this.#changes.length; i++) {
      const change = this.#changes[i];
      if (change?.collection === collection) found.push(change);
    }
    return found;
  }

  /** What each changed key of a collection held at `revision`; undefined if that is no longer kept. */
  statesAt(collection: string, revision: number): Map<string, Entry | undefined> | undefined {
    const changes = this.since(collection, revision);
    if (!changes) return undefined;
    const states = new Map<string, Entry | undefined>();
    for (const change of changes) if (!states.has(change.key)) states.set(change.key, change.before);
    return states;
  }

  get #length(): number {
    return this.#changes.length - this.#start;
  }

  #forget(): void {
    const oldest = this.#changes[this.#start];
    if (!oldest) return;
    this.#changes[this.#start] = undefined as never;
    this.#start++;
    this.#bytes -= weight(oldest);
    this.#floor = oldest.revision;
  }

  #indexAfter(revision: number): number {
    let low = this.#start;
    let high = this.#changes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#changes[middle] as Change).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Counts each version once, in the change that created it. */
function weight(change: Change): number {
  return 200 + (change.after?.bytes.length ?? change.last?.bytes.length ?? 0);
}
