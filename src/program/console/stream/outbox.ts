import type { DeltaFrame, Frame, SnapFrame, Source } from "../../../../console/protocol/frames.ts";
import { packRows } from "./pack-rows.ts";
import type { Change } from "./ring.ts";

/** What a topic has now. */
export interface TopicState {
  readonly rows: ReadonlyMap<string, object>;
  readonly sources: ReadonlyMap<string, Source>;
  /** Whether these are all rows. Before that, none are sent: a page that has some would lose them for a moment. */
  readonly isSettled: boolean;
}

interface Pending {
  /** All rows are due. */
  whole: boolean;
  readonly rows: Map<string, object | undefined>;
  readonly sources: Map<string, Source>;
}

/**
 * What one reader has not got yet: the latest row for each key, not a queue of changes. A reader that is slow, or reads nothing
 * at all, costs no more than the rows themselves, and gets the newest state when it reads again.
 */
export class Outbox {
  readonly #pending = new Map<string, Pending>();
  readonly #stateOf: (topic: string) => TopicState | undefined;
  #isBeatDue = false;

  constructor(stateOf: (topic: string) => TopicState | undefined) {
    this.#stateOf = stateOf;
  }

  /** Whether there is nothing to send now. */
  get isEmpty(): boolean {
    if (this.#isBeatDue) return false;
    for (const [topic, { whole, rows, sources }] of this.#pending)
      if (sources.size > 0 || rows.size > 0 || (whole && this.#isSettled(topic))) return false;
    return true;
  }

  /** Rows and sources that wait, of all topics. */
  get size(): number {
    let size = 0;
    for (const { rows, sources } of this.#pending.values()) size += rows.size + sources.size;
    return size;
  }

  addWhole(topic: string): void {
    const pending = this.#of(topic);
    pending.whole = true;
    pending.rows.clear();
    for (const [kind, source] of this.#stateOf(topic)?.sources ?? []) pending.sources.set(kind, source);
  }

  add({ topic, rows, sources }: Pick<Change, "topic" | "rows" | "sources">): void {
    const pending = this.#of(topic);
    for (const [kind, source] of sources) pending.sources.set(kind, source);
    if (pending.whole) return;
    for (const [key, row] of rows) pending.rows.set(key, row);
  }

  /** However long the reader does not read, it gets one. */
  addBeat(): void {
    this.#isBeatDue = true;
  }

  drop(topic: string): void {
    this.#pending.delete(topic);
  }

  /**
   * Takes everything as frames. `seq`: of the last change that was added. What is added while these frames are written comes with
   * the next ones, and has later numbers: a beat must not say that the reader has it.
   */
  *take(seq: number): Generator<Frame> {
    const all = [...this.#pending];
    const isBeatDue = this.#isBeatDue;
    this.#pending.clear();
    this.#isBeatDue = false;
    for (const [topic, { whole, rows, sources }] of all) {
      for (const [kind, source] of sources) yield { type: "source", topic, kind, source };
      if (whole && !this.#isSettled(topic)) this.#of(topic).whole = true;
      else if (whole)
        yield { type: "snap", topic, seq, rows: packRows(this.#stateOf(topic)?.rows ?? new Map()) } satisfies SnapFrame;
      else if (rows.size > 0) yield deltaFrame(topic, seq, rows);
    }
    if (isBeatDue) yield { type: "beat", seq };
  }

  #isSettled(topic: string): boolean {
    return this.#stateOf(topic)?.isSettled === true;
  }

  #of(topic: string): Pending {
    let pending = this.#pending.get(topic);
    if (!pending) this.#pending.set(topic, (pending = { whole: false, rows: new Map(), sources: new Map() }));
    return pending;
  }
}

export function deltaFrame(topic: string, seq: number, rows: ReadonlyMap<string, object | undefined>): DeltaFrame {
  const kept = new Map<string, object>();
  const gone: string[] = [];
  for (const [key, row] of rows)
    if (row) kept.set(key, row);
    else gone.push(key);
  return { type: "delta", topic, seq, rows: packRows(kept), gone };
}
