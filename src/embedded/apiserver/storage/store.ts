/** One version of one object as it lies in the store. Immutable. */
export interface Entry {
  /** `namespace/name`, or `name` where the kind has no namespaces. */
  readonly key: string;
  /** The revision of the write that made this version: its resourceVersion. */
  readonly revision: number;
  /** The object as JSON in its storage version, resourceVersion included: what a GET answers with, byte for byte. */
  readonly bytes: Buffer;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** A committed change. `before` is absent on creation, `after` on deletion. */
export interface Change {
  readonly revision: number;
  readonly collection: string;
  readonly key: string;
  readonly before: Entry | undefined;
  readonly after: Entry | undefined;
  /** On deletion: the last state, carrying the revision of the deletion, as watchers are told. */
  readonly last: Entry | undefined;
}

/** What a record is when it goes to disk and comes back. `bytes` is absent for a deletion. */
export interface Row {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  readonly bytes: Buffer | undefined;
  /** Kept beside the object, so that loading parses none. */
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** Where rows are kept. The store above it is the same for every backend. */
export interface Backend {
  /** Every row that was committed, and the last revision, which may be higher than any row's. */
  load(): { revision: number; rows: Iterable<Row> };
  /** Makes the rows and the revision durable, all or none, before it resolves. Calls never overlap. */
  commit(rows: readonly Row[], revision: number): Promise<void>;
  close(): Promise<void>;
}

/** Keeps nothing beyond the process: for tests and throw-away servers. */
export class MemoryBackend implements Backend {
  load(): { revision: number; rows: Iterable<Row> } {
    return { revision: 0, rows: [] };
  }

  async commit(): Promise<void> {}

  async close(): Promise<void> {}
}
