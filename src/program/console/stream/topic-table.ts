import type { Source } from "../../../../console/protocol/frames.ts";
import type { Clock } from "../../../cluster/runtime/clock.ts";
import { equal } from "../../../language/object/json.ts";
import type { TopicState } from "./outbox.ts";
import type { Change } from "./ring.ts";

/** Changes gather for this long before they are sent. */
const gatherMs = 100;

/** The rows of one topic. Changes are handed over together, a while after the first of them. */
export class TopicTable implements TopicState {
  readonly rows = new Map<string, object>();
  readonly sources = new Map<string, Source>();
  readonly #clock: Clock;
  readonly #onChange: (change: Pick<Change, "rows" | "sources">) => void;
  #isSettled = false;
  #changedRows = new Map<string, object | undefined>();
  #changedSources = new Map<string, Source>();
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, onChange: (change: Pick<Change, "rows" | "sources">) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** All rows that there are have been set once. */
  settle(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#onChange({ rows: new Map(), sources: new Map() });
  }

  /** Sets a row, or with undefined removes it. A row that is equal to the one before changes nothing. */
  set(key: string, row: object | undefined): void {
    const before = this.rows.get(key);
    if (row === undefined ? before === undefined : equal(before, row)) return;
    if (row === undefined) this.rows.delete(key);
    else this.rows.set(key, row);
    this.#changedRows.set(key, row);
    this.#handOverLater();
  }

  /** These rows and no others. */
  replace(rows: ReadonlyMap<string, object>): void {
    for (const key of this.rows.keys()) if (!rows.has(key)) this.set(key, undefined);
    for (const [key, row] of rows) this.set(key, row);
  }

  setSource(kind: string, source: Source): void {
    if (equal(this.sources.get(kind), source)) return;
    this.sources.set(kind, source);
    this.#changedSources.set(kind, source);
    this.#handOverLater();
  }

  /** Hands over at once what has changed, so that a reader who joins now gets nothing twice. */
  handOver(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    const change = { rows: this.#changedRows, sources: this.#changedSources };
    if (change.rows.size + change.sources.size === 0) return;
    this.#changedRows = new Map();
    this.#changedSources = new Map();
    this.#onChange(change);
  }

  close(): void {
    this.#cancel?.();
  }

  #handOverLater(): void {
    this.#cancel ??= this.#clock.after(gatherMs, () => this.handOver());
  }
}
