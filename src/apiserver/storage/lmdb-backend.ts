import { open, type RootDatabase } from "lmdb";
import type { Backend, Row } from "./store.ts";

export interface LmdbOptions {
  /** Survive a power loss too: sync the file on every commit. Default false: kill -9 loses nothing. */
  readonly fsync?: boolean;
}

const format = 1;
const formatKey = "\0format";
const revisionKey = "\0revision";

/** Rows in one LMDB file. A commit is one transaction: after a crash it is there whole or not at all. */
export class LmdbBackend implements Backend {
  readonly #database: RootDatabase<Buffer, string>;

  constructor(path: string, options: LmdbOptions = {}) {
    this.#database = open<Buffer, string>({
      path,
      encoding: "binary",
      keyEncoding: "string" as never,
      compression: false,
      // Without sync a commit is in the page cache, which outlives the process but not the machine.
      noSync: !options.fsync,
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
    await this.#database.transaction(() => {
      for (const row of rows) {
        const key = `${row.collection}\0${row.key}`;
        if (row.bytes) this.#database.putSync(key, encode(row, row.bytes));
        else this.#database.removeSync(key);
      }
      this.#database.putSync(revisionKey, Buffer.from(String(revision)));
    });
  }

  async close(): Promise<void> {
    await this.#database.close();
  }

  *#rows(): Generator<Row> {
    for (const { key, value } of this.#database.getRange({})) {
      const cut = key.indexOf("\0");
      if (cut > 0) yield { collection: key.slice(0, cut), key: key.slice(cut + 1), ...decode(value) };
    }
  }
}

/** Length of the head, head (revision and labels), object. */
function encode(row: Row, bytes: Buffer): Buffer {
  const head = Buffer.from(JSON.stringify({ revision: row.revision, labels: row.labels }));
  const length = Buffer.allocUnsafe(4);
  length.writeUInt32LE(head.length);
  return Buffer.concat([length, head, bytes]);
}

function decode(value: Buffer): Pick<Row, "revision" | "labels" | "bytes"> {
  const end = 4 + value.readUInt32LE(0);
  const head = JSON.parse(value.toString("utf8", 4, end)) as Pick<Row, "revision" | "labels">;
  return { revision: head.revision, labels: head.labels, bytes: Buffer.from(value.subarray(end)) };
}
