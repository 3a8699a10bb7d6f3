import { createHash } from "node:crypto";
import { open, type RootDatabase } from "lmdb";
import type { Backend, Row } from "./store.ts";

export interface LmdbOptions {
  /** Survive a power loss too: sync the file on every commit. Default false: kill -9 loses nothing. */
  readonly fsync?: boolean;
}

const format = 1;
const formatKey = Buffer.from("\0format");
const revisionKey = Buffer.from("\0revision");

/** Rows in one LMDB file. A commit is one transaction: after a crash it is there whole or not at all. */
export class LmdbBackend implements Backend {
  readonly #database: RootDatabase<Buffer, Buffer>;
  readonly #fsync: boolean;

  constructor(path: string, { fsync = false }: LmdbOptions = {}) {
    this.#fsync = fsync;
    this.#database = open<Buffer, Buffer>({
      path,
      encoding: "binary",
      // Its own encoding of strings reads long ones back as lists of what lies between their NULs.
      keyEncoding: "binary",
      compression: false,
      // Without sync a commit is in the page cache, which outlives the process but not the machine.
      noSync: !fsync,
      // The writes of one batch are one transaction of ours; LMDB need not gather more.
      eventTurnBatching: false,
      overlappingSync: false,
      mapSize: 1024 * 1024 * 1024,
    });
    const found = this.#database.get(formatKey);
    if (found === undefined) this.#database.putSync(formatKey, Buffer.from(String(format)));
    else if (found.toString() !== String(format))
      throw new Error(`open storage ${path}: format ${found.toString()} is not one this version reads (${format})`);
  }

  load(): { revision: number; rows: Iterable<Row> } {
    const revision = Number(this.#database.get(revisionKey)?.toString() ?? "0");
    return { revision, rows: this.#rows() };
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
    // Without sync a commit is a few writes to the page cache, done before another thread would have begun.
    if (this.#fsync) await this.#database.transaction(write);
    else this.#database.transactionSync(write);
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  *#rows(): Generator<Row> {
    for (const { key: bytes, value } of this.#database.getRange({})) {
      const key = bytes.toString("utf8");
      const cut = key.indexOf("\0");
      if (cut > 0) yield { collection: key.slice(0, cut), ...decode(value, key.slice(cut + 1)) };
    }
  }
}

/** LMDB takes keys of at most 1,978 bytes, and Kubernetes has kinds whose names have no limit. */
const maxKeyBytes = 1900;

function isLong({ collection, key }: Row): boolean {
  // No character is more than three bytes of UTF-8 per unit of UTF-16.
  const units = collection.length + key.length + 1;
  return units * 3 > maxKeyBytes && Buffer.byteLength(collection) + Buffer.byteLength(key) + 1 > maxKeyBytes;
}

/** A longer key is replaced by its digest, and lies with the object. */
function databaseKey(row: Row): Buffer {
  const key = isLong(row) ? createHash("sha256").update(row.key).digest("hex") : row.key;
  return Buffer.from(`${row.collection}\0${key}`);
}

/** What stands before an object: a short text with what must be known of it without parsing it. */
interface Head {
  readonly revision: number;
  readonly labels?: Row["labels"];
  /** Where it is too long to be the key of the database. */
  readonly key?: string;
}

/** Length of the head, head, object. */
function encode(row: Row, bytes: Buffer): Buffer {
  const { revision, labels, key } = row;
  const head = Buffer.from(JSON.stringify({ revision, labels, ...(isLong(row) ? { key } : {}) } satisfies Head));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, bytes]);
}

/** `value` is a copy already, of which the object is a part. */
function decode(value: Buffer, databaseKey: string): Omit<Row, "collection"> {
  const end = 4 + value.readUInt32LE(0);
  const { revision, labels, key = databaseKey } = JSON.parse(value.toString("utf8", 4, end)) as Head;
  return { key, revision, labels, bytes: value.subarray(end) };
}
