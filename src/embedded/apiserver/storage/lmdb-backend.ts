import { createHash } from "node:crypto";
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from "lmdb";
import { damaged, fillUp, markCreated, prepareFolder, type DatabaseStats } from "./lmdb-file.ts";
import type { Backend, Row } from "./store.ts";

export interface LmdbOptions {
  /** Syncs the file on every commit, to survive a power loss. Default false: kill -9 loses nothing either way. */
  readonly fsync?: boolean;
}

const format = 1;
const formatKey = Buffer.from("\0format");
const revisionKey = Buffer.from("\0revision");

/** Rows in one LMDB file. A commit is one transaction: a crash leaves all of it or nothing. */
export class LmdbBackend implements Backend {
  readonly #database: RootDatabase<Buffer, Buffer>;
  readonly #fsync: boolean;
  readonly #path: string;

  constructor(path: string, { fsync = false }: LmdbOptions = {}) {
    this.#fsync = fsync;
    this.#path = path;
    prepareFolder(path);
    const options: RootDatabaseOptionsWithPath & { permissionsMode: number } = {
      path,
      encoding: "binary",
      // lmdb's own encoding reads long strings back as lists, split at NULs.
      keyEncoding: "binary",
      compression: false,
      // Without sync a commit is in the page cache, which survives the process but not a power loss.
      noSync: !fsync,
      // The store batches writes into one transaction itself.
      eventTurnBatching: false,
      overlappingSync: false,
      mapSize: 1024 * 1024 * 1024,
      permissionsMode: 0o600,
    };
    try {
      this.#database = open<Buffer, Buffer>(options);
      // A write reads the list of free pages, which load() does not.
      if (fillUp(path, this.#stats())) this.#database.putSync(revisionKey, Buffer.from(String(this.#revision())));
    } catch (error) {
      throw damaged(path, error);
    }
    const found = this.#database.get(formatKey);
    if (found === undefined) this.#database.putSync(formatKey, Buffer.from(String(format)));
    else if (found.toString() !== String(format))
      throw new Error(`open storage ${path}: format ${found.toString()} is not one this version reads (${format})`);
    markCreated(path);
  }

  load(): { revision: number; rows: Iterable<Row> } {
    return { revision: this.#revision(), rows: this.#rows() };
  }

  #revision(): number {
    return Number(this.#database.get(revisionKey)?.toString() ?? "0");
  }

  async commit(rows: readonly Row[], revision: number): Promise<void> {
    const write = (): void => {
      for (const row of rows) {
        const key = databaseKey(row);
        if (row.bytes) this.#database.putSync(key, encode(row, row.bytes));
        else this.#database.removeSync(key);
      }
      this.#database.putSync(revisionKey, Buffer.from(String(revision)));
    };
    // Without sync a commit only writes to the page cache: faster than handing it to another thread.
    if (this.#fsync) await this.#database.transaction(write).catch(rethrowCause);
    else this.#database.transactionSync(write);
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  *#rows(): Generator<Row> {
    let left = this.#stats().entryCount;
    try {
      for (const { key: bytes, value } of this.#database.getRange({})) {
        left--;
        const key = bytes.toString("utf8");
        const cut = key.indexOf("\0");
        if (cut > 0) yield { collection: key.slice(0, cut), ...decode(value, key.slice(cut + 1)) };
      }
    } catch (error) {
      throw damaged(this.#path, error);
    }
    if (left !== 0) throw damaged(this.#path, new Error(`${left} entries are missing`));
  }

  #stats(): DatabaseStats {
    return this.#database.getStats() as DatabaseStats;
  }
}

/** lmdb reports that a commit failed, and promises the cause. */
async function rethrowCause(error: unknown): Promise<never> {
  await (error as { commitError?: Promise<never> }).commitError;
  throw error;
}

/** LMDB limits keys to 1,978 bytes; names of some Kubernetes kinds have no limit. */
const maxKeyBytes = 1900;

function isLong({ collection, key }: Row): boolean {
  // A UTF-16 unit is at most three bytes of UTF-8.
  const units = collection.length + key.length + 1;
  return units * 3 > maxKeyBytes && Buffer.byteLength(collection) + Buffer.byteLength(key) + 1 > maxKeyBytes;
}

/** A longer key is replaced by its digest and stored in the head of the value. */
function databaseKey(row: Row): Buffer {
  const key = isLong(row) ? createHash("sha256").update(row.key).digest("hex") : row.key;
  return Buffer.from(`${row.collection}\0${key}`);
}

/** JSON before the object, with what must be known without parsing it. */
interface Head {
  readonly revision: number;
  readonly labels?: Row["labels"];
  /** Only if it is too long for the database. */
  readonly key?: string;
}

/** Layout: length of the head, head, object. */
function encode(row: Row, bytes: Buffer): Buffer {
  const { revision, labels, key } = row;
  const head = Buffer.from(JSON.stringify({ revision, labels, ...(isLong(row) ? { key } : {}) } satisfies Head));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, bytes]);
}

/** The object's bytes are a view of `value`, which lmdb has already copied. */
function decode(value: Buffer, databaseKey: string): Omit<Row, "collection"> {
  const end = 4 + value.readUInt32LE(0);
  const { revision, labels, key = databaseKey } = JSON.parse(value.toString("utf8", 4, end)) as Head;
  // Pages that are missing from the file read as zeros, which no object ends with.
  if (value.at(-1) === 0) throw new Error(`${key} is incomplete`);
  return { key, revision, labels, bytes: value.subarray(end) };
}
