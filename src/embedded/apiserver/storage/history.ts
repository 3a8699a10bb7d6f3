import type { Change, Entry } from "./store.ts";

export interface HistoryLimits {
  /** How many changes are remembered at most. Default 16,384. */
  readonly changes: number;
  /** How many bytes of objects they may hold at most. Default 64 MiB. */
  readonly bytes: number;
}

export const defaultLimits: HistoryLimits = { changes: 16_384, bytes: 64 * 1024 * 1024 };

/**
 * The recent past, so that a watch can resume and a page can be served as of an older revision.
 * What is older than the window is gone, and asking for it is answered with 410.
 */
export class History {
  #changes: Change[] = [];
  #start = 0;
  #bytes = 0;
  #floor: number;
  readonly #limits: HistoryLimits;

  /** `floor`: the revision before the first change that can be remembered. */
  constructor(floor: number, limits: HistoryLimits) {
    this.#floor = floor;
    this.#limits = limits;
  }

  /** Changes after this revision are all still known. */
  get floor(): number {
    return this.#floor;
  }

  append(change: Change): void {
    this.#changes.push(change);
    this.#bytes += weight(change);
    while (this.#length > this.#limits.changes || (this.#bytes > this.#limits.bytes && this.#length > 1))
      this.#forget();
    // Shifting an array is linear: cut the dead part off only when it is half of all.
    if (this.#start > 1024 && this.#start * 2 > this.#changes.length) {
      this.#changes = this.#changes.slice(this.#start);
      this.#start = 0;
    }
  }

  /** The changes of a collection after `revision`, oldest first; undefined when some are forgotten. */
  since(collection: string, revision: number): Change[] | undefined {
    if (revision < this.#floor) return undefined;
    const found: Change[] = [];
    for (let i = this.#indexAfter(revision); i < this.#changes.length; i++) {
      const change = this.#changes[i];
      if (change?.collection === collection) found.push(change);
    }
    return found;
  }

  /** What each changed key of a collection held at `revision`; undefined when that is forgotten. */
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

/** A version is counted once, where it comes into being. */
function weight(change: Change): number {
  return 200 + (change.after?.bytes.length ?? change.last?.bytes.length ?? 0);
}
