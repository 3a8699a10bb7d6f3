/** One stored version of one object. Immutable. */
export interface Entry {
  /** `namespace/name`, or `name` for a cluster-scoped kind. */
  readonly key: string;
  /** The revision of the write that made this version: its resourceVersion. */
  readonly revision: number;
  /** The object as JSON in its storage version, with resourceVersion: a GET sends these bytes. */
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
  /** On deletion: the last state with the revision of the deletion, which watchers see. */
  readonly last: Entry | undefined;
}

/** A record on disk. `bytes` is absent for a deletion. */
export interface Row {
  readonly collection: string;
  readonly key: string;
  readonly revision: number;
  readonly bytes: Buffer | undefined;
  /** Kept beside the object, so that loading parses no objects. */
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** Where rows are kept. `ObjectStore` works the same with every backend. */
export interface Backend {
  /** Every row that was committed, and the last revision, which may be higher than any row's. */
  load(): { revision: number; rows: Iterable<Row> };
  /** Writes the rows and the revision durably, all or none, before it resolves. Calls never overlap. */
  commit(rows: readonly Row[], revision: number): Promise<void>;
  close(): Promise<void>;
}

/** Stores nothing: for tests and throw-away servers. */
export class MemoryBackend implements Backend {
  load(): { revision: number; rows: Iterable<Row> } {
    return { revision: 0, rows: [] };
  }

  async commit(): Promise<void> {}

  async close(): Promise<void> {}
}
