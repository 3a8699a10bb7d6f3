import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { open, type RootDatabase, type RootDatabaseOptionsWithPath } from "lmdb";
import { commitFailure, damaged, dataFile, markCreated, prepareFolder } from "./lmdb-file.ts";
import { LmdbReserve } from "./lmdb-reserve.ts";
import type { Backend, Row } from "./store.ts";

export interface LmdbOptions {
  /** Syncs the file on every commit, to survive a power loss. Default false: kill -9 loses nothing either way. */
  readonly fsync?: boolean;
}

/** Rows of format 1 have no checksums. They get one when they are written next. */
const formats = ["1", "2"];
const format = "2";
const formatKey = Buffer.from("\0format");
const revisionKey = Buffer.from("\0revision");
const ownerKey = Buffer.from("\0owner");
const ownKeys = [formatKey, revisionKey, ownerKey];

/** Another process has opened the storage since: a write of this one would be lost to it, or overwrite its own. */
export class TakenOverError extends Error {
  constructor(path: string) {
    super(`another server has taken over ${path}: stop one of the two`);
    this.name = "TakenOverError";
  }
}

/**
 * Rows in one LMDB file. A commit is one transaction: a crash leaves all of it or nothing. The file names its owner, the
 * process that opened it last, and each transaction reads that name: whatever became of other locks, the writes of two
 * processes never mix.
 */
export class LmdbBackend implements Backend {
  readonly #database: RootDatabase<Buffer, Buffer>;
  readonly #fsync: boolean;
  readonly #path: string;
  readonly #reserve: LmdbReserve;
  readonly #owner = randomBytes(16);

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
    } catch (error) {
      throw damaged(path, error);
    }
    const found = this.#database.get(formatKey);
    if (found !== undefined && !formats.includes(found.toString()))
      throw new Error(`open storage ${path}: format ${found.toString()} is not one this version reads (${format})`);
    this.#reserve = new LmdbReserve(dataFile(path), () => this.#usedBytes());
    this.#database.transactionSync(() => {
      this.#reserve.ensure([]);
      if (found?.toString() !== format) this.#database.putSync(formatKey, Buffer.from(format));
      this.#database.putSync(ownerKey, this.#owner);
    });
    markCreated(path);
  }

  load(): { revision: number; rows: Iterable<Row> } {
    return { revision: this.#revision(), rows: this.#rows() };
  }

  #revision(): number {
    return Number(this.#database.get(revisionKey)?.toString() ?? "0");
  }

  #usedBytes(): number {
    const { lastPageNumber, pageSize } = this.#database.getStats() as { lastPageNumber: number; pageSize: number };
    return (lastPageNumber + 1) * pageSize;
  }

  async commit(rows: readonly Row[], revision: number): Promise<void> {
    const write = (): void => {
      if (!this.#database.get(ownerKey)?.equals(this.#owner)) throw new TakenOverError(this.#path);
      this.#reserve.ensure(rows);
      for (const row of rows) {
        const key = databaseKey(row);
        if (row.bytes) this.#database.putSync(key, encode(row, row.bytes, key));
        else this.#database.removeSync(key);
      }
      this.#database.putSync(revisionKey, Buffer.from(String(revision)));
    };
    try {
      // Without sync a commit only writes to the page cache: faster than handing it to another thread.
      if (this.#fsync) await this.#database.transaction(write).catch(rethrowCause);
      else this.#database.transactionSync(write);
    } catch (error) {
      throw commitFailure(this.#path, error);
    }
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  *#rows(): Generator<Row> {
    let left = (this.#database.getStats() as { entryCount: number }).entryCount;
    const newest = this.#revision();
    try {
      for (const { key, value } of this.#database.getRange({})) {
        left--;
        if (ownKeys.some((own) => own.equals(key))) continue;
        const row = decode(value, key);
        if (row.revision > newest) throw new Error(`${row.key} is newer than the last write`);
        yield row;
      }
    } catch (error) {
      throw damaged(this.#path, error);
    }
    if (left !== 0) throw damaged(this.#path, new Error(`${left} entries are missing`));
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

/** A bit of the head's length: a checksum of key, head and object follows it. */
const hasChecksum = 0x80000000;

/** Layout: length of the head, checksum, head, object. */
function encode(row: Row, bytes: Buffer, databaseKey: Buffer): Buffer {
  const { revision, labels, key } = row;
  const head = Buffer.from(JSON.stringify({ revision, labels, ...(isLong(row) ? { key } : {}) } satisfies Head));
  const begin = Buffer.allocUnsafe(8);
  begin.writeUInt32LE(head.length + hasChecksum);
  begin.writeUInt32LE(crc32(bytes, crc32(head, crc32(databaseKey))), 4);
  return Buffer.concat([begin, head, bytes]);
}

/** The object's bytes are a view of `value`, which lmdb has already copied. */
function decode(value: Buffer, databaseKey: Buffer): Row {
  const cut = databaseKey.indexOf(0);
  const [collection, name] = [databaseKey.toString("utf8", 0, cut), databaseKey.toString("utf8", cut + 1)];
  const begin = value.readUInt32LE(0);
  const isSummed = begin >= hasChecksum;
  if (isSummed && value.readUInt32LE(4) !== crc32(value.subarray(8), crc32(databaseKey)))
    throw new Error(`${collection} ${name} has changed since it was written`);
  const start = isSummed ? 8 : 4;
  const end = start + (begin % hasChecksum);
  const { revision, labels, key = name } = JSON.parse(value.toString("utf8", start, end)) as Head;
  return { collection, key, revision, labels, bytes: value.subarray(end) };
}
