import type { Backend, Row } from "../storage/store.ts";

/** A backend in memory that can be opened again, as after a restart or a crash. */
export class CopyingBackend implements Backend {
  readonly #rows: Map<string, Row>;
  #revision: number;
  #stopped = false;
  /** Called after each commit. */
  onCommit: (rows: readonly Row[]) => void = () => {};

  constructor(rows: Iterable<Row> = [], revision = 0) {
    this.#rows = new Map(Array.from(rows, (row) => [keyOf(row), row]));
    this.#revision = revision;
  }

  load(): { revision: number; rows: Iterable<Row> } {
    return { revision: this.#revision, rows: [...this.#rows.values()] };
  }

  async commit(rows: readonly Row[], revision: number): Promise<void> {
    if (this.#stopped) return;
    for (const row of rows)
      if (row.bytes) this.#rows.set(keyOf(row), row);
      else this.#rows.delete(keyOf(row));
    this.#revision = revision;
    this.onCommit(rows);
  }

  async close(): Promise<void> {}

  /** As if the process had been killed: later commits are lost. */
  stop(): void {
    this.#stopped = true;
  }

  reopened(): CopyingBackend {
    return new CopyingBackend(this.#rows.values(), this.#revision);
  }
}

const keyOf = ({ collection, key }: Row): string => `${collection}\0${key}`;
