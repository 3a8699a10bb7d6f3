import { History, defaultLimits, type HistoryLimits } from "./history.ts";
import { SortedEntries } from "./sorted-entries.ts";
import type { Backend, Change, Entry, Row } from "./store.ts";

/** The object changed between reading and writing it. */
export class StaleWriteError extends Error {
  constructor(collection: string, key: string) {
    super(`write ${collection} ${key}: the object has changed since it was read`);
    this.name = "StaleWriteError";
  }
}

/** A collection at a revision; expired if that revision is no longer kept. */
export type Snapshot = { type: "entries"; entries: Iterable<Entry> } | { type: "expired" };

/** The content of a new version, once its revision is known. */
export interface Draft {
  readonly bytes: Buffer;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

export interface StoreOptions {
  readonly history?: Partial<HistoryLimits>;
  /** Called when a watcher throws. Default: rethrown, which ends the process. */
  readonly onWatcherError?: (error: unknown) => void;
}

interface Pending {
  readonly change: Change;
  readonly resolve: (change: Change) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Every object of the server, with revisions like etcd's.
 *
 * A write is checked against the head, which includes uncommitted writes, so that concurrent writers see each other.
 * Readers and watchers only see what the backend has committed, so that nothing they saw can be lost. Writes that arrive
 * during a commit go together into the next one.
 */
export class ObjectStore {
  readonly #backend: Backend;
  readonly #onWatcherError: (error: unknown) => void;
  readonly #collections = new Map<string, SortedEntries>();
  readonly #history: History;
  readonly #watchers = new Map<string, Set<(changes: readonly Change[]) => void>>();
  /** Keys with an uncommitted write: the newest version, undefined for a deletion. */
  readonly #ahead = new Map<string, { entry: Entry | undefined; revision: number }>();
  #queue: Pending[] = [];
  #committing: Promise<void> | undefined;
  #failure: Error | undefined;
  #isBroken = false;
  #head: number;
  #committed: number;

  constructor(backend: Backend, options: StoreOptions = {}) {
    this.#backend = backend;
    this.#onWatcherError = options.onWatcherError ?? rethrow;
    const { revision, rows } = backend.load();
    for (const row of rows) if (row.bytes) this.#entries(row.collection).set(entryOf(row, row.bytes));
    this.#head = this.#committed = revision;
    this.#history = new History(revision, { ...defaultLimits, ...options.history });
  }

  /** The newest committed revision. */
  get revision(): number {
    return this.#committed;
  }

  /** Why the last commit failed. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  get(collection: string, key: string): Entry | undefined {
    return this.#collections.get(collection)?.get(key);
  }

  /** The newest version, committed or not: what a write must be based on. */
  head(collection: string, key: string): Entry | undefined {
    const ahead = this.#ahead.get(`${collection}\0${key}`);
    return ahead ? ahead.entry : this.get(collection, key);
  }

  /** Keys with an uncommitted write, and their newest version; undefined for a deletion. */
  *uncommitted(collection: string, prefix: string): Iterable<[key: string, entry: Entry | undefined]> {
    const begin = `${collection}\0${prefix}`;
    for (const [id, { entry }] of this.#ahead) if (id.startsWith(begin)) yield [id.slice(collection.length + 1), entry];
  }

  list(collection: string, prefix = "", after = ""): Iterable<Entry> {
    return this.#collections.get(collection)?.range(prefix, after) ?? [];
  }

  count(collection: string): number {
    return this.#collections.get(collection)?.size ?? 0;
  }

  changedAt(collection: string): number {
    return this.#collections.get(collection)?.changedAt ?? 0;
  }

  /** The collection at an older revision. */
  listAt(revision: number, collection: string, prefix = "", after = ""): Snapshot {
    if (revision === this.#committed) return { type: "entries", entries: this.list(collection, prefix, after) };
    const states = this.#history.statesAt(collection, revision);
    if (!states) return { type: "expired" };
    const entries: Entry[] = [];
    for (const entry of this.list(collection, prefix, after)) if (!states.has(entry.key)) entries.push(entry);
    for (const [key, entry] of states) if (entry && key.startsWith(prefix) && key > after) entries.push(entry);
    return { type: "entries", entries: entries.sort((a, b) => (a.key < b.key ? -1 : 1)) };
  }

  /** Changes after `revision`, oldest first; undefined if some are no longer kept. */
  changesSince(collection: string, revision: number): Change[] | undefined {
    return this.#history.since(collection, revision);
  }

  /** Calls `onChanges` for every commit that touches the collection, in order. The returned function ends the watch. */
  watch(collection: string, onChanges: (changes: readonly Change[]) => void): () => void {
    let watchers = this.#watchers.get(collection);
    if (!watchers) this.#watchers.set(collection, (watchers = new Set()));
    watchers.add(onChanges);
    return () => {
      watchers.delete(onChanges);
    };
  }

  /**
   * Writes a new version of an object, or its first if `based` is undefined. `draft` is called at once with the revision
   * of the new version. Resolves after the commit, when watchers have been notified.
   */
  put(collection: string, key: string, based: Entry | undefined, draft: (revision: number) => Draft): Promise<Change> {
    this.#claim(collection, key, based);
    const revision = this.#head + 1;
    const after: Entry = { key, revision, ...draft(revision) };
    return this.#enqueue({ revision, collection, key, before: based, after, last: undefined });
  }

  /** Removes an object. `last` makes the final state that watchers see. */
  remove(collection: string, key: string, based: Entry, last: (revision: number) => Draft): Promise<Change> {
    this.#claim(collection, key, based);
    const revision = this.#head + 1;
    const final: Entry = { key, revision, ...last(revision) };
    return this.#enqueue({ revision, collection, key, before: based, after: undefined, last: final });
  }

  /** Waits for running commits, then closes the backend. */
  async close(): Promise<void> {
    while (this.#committing) await this.#committing;
    await this.#backend.close();
  }

  #claim(collection: string, key: string, based: Entry | undefined): void {
    if (this.#isBroken) throw this.#failure;
    if (this.head(collection, key) !== based) throw new StaleWriteError(collection, key);
  }

  #enqueue(change: Change): Promise<Change> {
    this.#head = change.revision;
    this.#ahead.set(`${change.collection}\0${change.key}`, { entry: change.after, revision: change.revision });
    return new Promise((resolve, reject) => {
      this.#queue.push({ change, resolve, reject });
      this.#committing ??= this.#drain();
    });
  }

  async #drain(): Promise<void> {
    // Requests of this turn of the event loop join the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        const revision = (batch.at(-1) as Pending).change.revision;
        await this.#backend.commit(
          batch.map(({ change }) => rowOf(change)),
          revision,
        );
        this.#publish(batch, revision);
      } catch (error) {
        this.#fail([...batch, ...this.#queue], error);
      }
    }
    this.#committing = undefined;
  }

  /**
   * Refuses the writes of a failed commit and those that were made on top of them; no client has seen any. If the backend is
   * where it was, as when the disk was full, the next write tries again. Otherwise only a restart can tell what is on disk.
   */
  #fail(writes: readonly Pending[], cause: unknown): void {
    this.#isBroken = !this.#isUnchanged();
    const then = this.#isBroken ? "; the server takes no more writes" : "";
    const why = cause instanceof Error ? cause.message : String(cause);
    this.#failure = new Error(`commit to storage failed${then}: ${why}`, { cause });
    this.#queue = [];
    this.#ahead.clear();
    this.#head = this.#committed;
    for (const { reject } of writes) reject(this.#failure);
  }

  #isUnchanged(): boolean {
    try {
      return this.#backend.load().revision === this.#committed;
    } catch {
      // The failure that is reported is that of the commit.
      return false;
    }
  }

  #publish(batch: readonly Pending[], revision: number): void {
    const byCollection = new Map<string, Change[]>();
    for (const { change } of batch) {
      const entries = this.#entries(change.collection);
      if (change.after) entries.set(change.after);
      else entries.delete(change.key, change.revision);
      const ahead = `${change.collection}\0${change.key}`;
      if (this.#ahead.get(ahead)?.revision === change.revision) this.#ahead.delete(ahead);
      this.#history.append(change);
      const changes = byCollection.get(change.collection);
      if (changes) changes.push(change);
      else byCollection.set(change.collection, [change]);
    }
    this.#committed = revision;
    this.#failure = undefined;
    for (const [collection, changes] of byCollection)
      for (const onChanges of this.#watchers.get(collection) ?? []) this.#notify(onChanges, changes);
    for (const { change, resolve } of batch) resolve(change);
  }

  /** A watcher that throws must not affect the committed write or the other watchers. */
  #notify(onChanges: (changes: readonly Change[]) => void, changes: readonly Change[]): void {
    try {
      onChanges(changes);
    } catch (error) {
      this.#onWatcherError(error);
    }
  }

  #entries(collection: string): SortedEntries {
    let entries = this.#collections.get(collection);
    if (!entries) this.#collections.set(collection, (entries = new SortedEntries()));
    return entries;
  }
}

function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function entryOf(row: Row, bytes: Buffer): Entry {
  return { key: row.key, revision: row.revision, bytes, labels: row.labels };
}

function rowOf(change: Change): Row {
  const { collection, key, revision, after } = change;
  return { collection, key, revision, bytes: after?.bytes, labels: after?.labels };
}
