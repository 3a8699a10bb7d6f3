import type { Source } from "../../../../console/protocol/frames.ts";

/** What changed in one topic. A row that is undefined is gone. */
export interface Change {
  readonly seq: number;
  readonly topic: string;
  readonly rows: ReadonlyMap<string, object | undefined>;
  readonly sources: ReadonlyMap<string, Source>;
  /** About how much it is on the wire. */
  readonly bytes: number;
}

export interface RingLimits {
  readonly changes: number;
  readonly bytes: number;
}

/** The last changes of a user's topics, so that a page that lost its connection gets what it missed. */
export class Ring {
  readonly #limits: RingLimits;
  #changes: Change[] = [];
  #bytes = 0;
  /** All changes after this one are kept. */
  #complete = 0;

  constructor(limits: RingLimits = { changes: 4096, bytes: 8 * 2 ** 20 }) {
    this.#limits = limits;
  }

  add(change: Change): void {
    this.#changes.push(change);
    this.#bytes += change.bytes;
    let dropped = 0;
    while (this.#changes.length - dropped > this.#limits.changes || this.#bytes > this.#limits.bytes) {
      const oldest = this.#changes[dropped];
      if (!oldest) break;
      this.#bytes -= oldest.bytes;
      this.#complete = oldest.seq;
      dropped++;
    }
    if (dropped > 0) this.#changes = this.#changes.slice(dropped);
  }

  /** The changes of a topic after `seq`; undefined if some of them were dropped. */
  since(seq: number, topic: string): readonly Change[] | undefined {
    if (seq < this.#complete) return undefined;
    return this.#changes.filter((change) => change.seq > seq && change.topic === topic);
  }
}
